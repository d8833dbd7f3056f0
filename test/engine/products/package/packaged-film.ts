import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { ExpectedPart } from '../../../../engine/products/package/find-problems.ts';
import { manifestName, masterName, partNames } from '../../../../engine/products/package/packager-arguments.ts';
import type { PackagePlan } from '../../../../engine/products/package/plan-package.ts';
import { readLocal } from '../../../../engine/products/package/read-local.ts';
import { type ReadPackage, readPackage } from '../../../../engine/products/package/read-package.ts';
import { runPackager } from '../../../../engine/products/package/run-packager.ts';
import { motion, quickH264, tone } from '../../../support/films.ts';

const run = promisify(execFile);
const limits = { stallTimeoutSeconds: 30, maxOutputBytes: 2 ** 30, maxCpuSeconds: 60 };

export const urlIn = (folder: string, name: string): string => pathToFileURL(join(folder, name)).href;

const parts = [
  { kind: 'video', name: 'v90' },
  { kind: 'video', name: 'v46' },
  { kind: 'audio', name: 'a' },
] as const;

/** Packages five seconds in segments of two, in two sizes and with sound. Returns the folder of both layouts. */
export async function packageFilm(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'packaged-film-'));
  const gop = ['-g', '25', '-keyint_min', '25', '-sc_threshold', '0', '-shortest'];
  const sizes = ['scale=160:90', 'scale=82:46'].flatMap((filter, index) => [
    ...['-map', '0:v', '-vf', filter, ...quickH264, ...gop, join(folder, `${parts[index]?.name ?? ''}.mp4`)],
  ]);
  const sound = ['-map', '1:a', '-c:a', 'aac', '-t', '5', join(folder, 'a.mp4')];
  await run('ffmpeg', ['-v', 'error', ...motion(5), ...tone(5), ...sizes, ...sound]);
  for (const layout of ['files', 'byte_ranges'] as const) {
    const plan = {
      ...{ kinds: ['hls', 'dash'], layout, segmentSeconds: 2, keyframeSeconds: 1 },
      parts: parts.map((part) => ({ ...part, plan: {}, path: join(folder, `${part.name}.mp4`) })),
    };
    await mkdir(join(folder, layout));
    await runPackager(plan as PackagePlan, join(folder, layout), limits, new AbortController().signal);
  }
  return folder;
}

export const expectedIn = (folder: string): ExpectedPart[] =>
  parts.map((part) => ({ ...part, main: urlIn(folder, partNames(part, 'files').main) }));

/** Reads both indexes, or the named one. */
export async function readPackaged(folder: string, only?: 'playlist' | 'manifest'): Promise<ReadPackage> {
  const indexes = {
    playlist: only === 'manifest' ? undefined : urlIn(folder, masterName),
    manifest: only === 'playlist' ? undefined : urlIn(folder, manifestName),
  };
  return await readPackage(indexes, { read: readLocal, signal: new AbortController().signal, advance: () => {} });
}

/** Replaces a pattern in a text file and fails if it does not occur. */
export async function edit(path: string, pattern: RegExp | string, text: string): Promise<void> {
  const before = await readFile(path, 'utf8');
  const after = before.replace(pattern, text);
  if (after === before) throw new Error(`${path} has no ${String(pattern)}`);
  await writeFile(path, after);
}

/** Changes bytes after the type of the first such box. */
export async function editBox(path: string, type: string, change: (body: Buffer) => void): Promise<void> {
  const bytes = await readFile(path);
  const found = bytes.indexOf(type, 0, 'latin1');
  if (found === -1) throw new Error(`${path} has no ${type}`);
  change(bytes.subarray(found + 4));
  await writeFile(path, bytes);
}
