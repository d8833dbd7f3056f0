import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputNaming } from '../../contract/output-settings.ts';
import { ServiceError } from '../errors.ts';
import type { ProcessLimits } from '../ffmpeg/process-limits.ts';
import { completeMaster } from './bandwidth.ts';
import { findPackageProblems } from './find-problems.ts';
import { parseMaster } from './media-playlist.ts';
import { manifestName, masterName, partNames } from './packager-arguments.ts';
import type { PackagePlan } from './plan-package.ts';
import { readPackage } from './read-package.ts';
import { runPackager } from './run-packager.ts';

/** A file of a package. */
export interface PackageFile {
  /** within the package */
  name: string;
  path: string;
  contentType: string;
}

interface PackageRun {
  limits: ProcessLimits;
  signal: AbortSignal;
  advance: () => void;
}

/** Makes the package of its finished parts, which are removed, and checks it. Answers its files in the order of their delivery. */
export async function makePackage(
  plan: PackagePlan,
  naming: OutputNaming,
  folder: string,
  { limits, signal, advance }: PackageRun,
): Promise<PackageFile[]> {
  await runPackager(plan, folder, limits, signal);
  for (const { path } of plan.parts) await rm(path);
  const read = await readPackage(plan, folder, signal, advance);
  const master = completeMaster(await readFile(join(folder, masterName), 'utf8'), read);
  await writeFile(join(folder, masterName), master);
  const [problem] = findPackageProblems({ ...read, master: parseMaster(master) });
  if (problem !== undefined) {
    const message = `The output ${naming.label} did not come out right: ${problem}. Nothing was uploaded.`;
    throw new ServiceError('output_invalid', message, { details: naming.named });
  }
  return await listFiles(plan, folder);
}

const playlistType = 'application/vnd.apple.mpegurl';

/** Those that name others come behind them, and the one that names all of them last. */
async function listFiles({ kinds, layout, parts }: PackagePlan, folder: string): Promise<PackageFile[]> {
  const isWanted = (name: string): boolean => kinds.includes('hls') || !name.endsWith('.m3u8');
  const names = parts.map((part) => partNames(part, layout));
  const files = await Promise.all(
    parts.map(async ({ kind, name }, index) => {
      const { main, keyFrames = [], media } = names[index] ?? { main: '', media: { whole: '' } };
      const found =
        'whole' in media ? [media.whole] : (await readdir(join(folder, name))).map((entry) => `${name}/${entry}`);
      const ofMedia = found.filter((entry) => !entry.endsWith('.m3u8')).toSorted(byNumber);
      return [
        ...ofMedia.map((entry) => ({ name: entry, contentType: `${kind}/mp4` })),
        ...[keyFrames, main].flat().map((entry) => ({ name: entry, contentType: playlistType })),
      ];
    }),
  );
  const indexes = [
    ...(kinds.includes('dash') ? [{ name: manifestName, contentType: 'application/dash+xml' }] : []),
    { name: masterName, contentType: playlistType },
  ];
  return [...files.flat(), ...indexes]
    .filter(({ name }) => isWanted(name))
    .map((file) => ({ ...file, path: join(folder, file.name) }));
}

const byNumber = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });
