import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { fillLengths } from '../../../../engine/products/package/fill-lengths.ts';
import type { PackagePlan } from '../../../../engine/products/package/package-plan.ts';
import { runPackager } from '../../../../engine/products/package/run-packager.ts';
import { readPackaged } from './packaged-film.ts';
import { testFolder } from '../../../support/folder.ts';

const run = promisify(execFile);
const limits = { stallTimeoutSeconds: 30, maxOutputBytes: 2 ** 30, maxCpuSeconds: 60 };

test('sound that continues for two samples after a segment has a last segment with a length', async () => {
  const folder = testFolder();
  // 201 packets of 960 samples, of which 312 are not heard, and two samples.
  const sound = 'sine=440:r=48000,atrim=end_sample=192650';
  const ogg = join(folder, 'a.ogg');
  await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', sound, '-c:a', 'libopus', ogg]);
  await run('ffmpeg', ['-v', 'error', '-i', ogg, '-c', 'copy', join(folder, 'a.mp4')]);
  const plan = {
    ...{ kinds: ['hls', 'dash'], layout: 'files', segmentSeconds: 2, keyframeSeconds: 2 },
    parts: [{ kind: 'audio', name: 'a', plan: {}, path: join(folder, 'a.mp4') }],
  };
  const made = join(folder, 'files');
  await runPackager(plan as unknown as PackagePlan, made, limits, new AbortController().signal);
  const lengthsOf = async (): Promise<number[]> => {
    const text = await readFile(join(made, 'a/main.m3u8'), 'utf8');
    return [...text.matchAll(/#EXTINF:([\d.]+)/g)].map(([, seconds]) => Number(seconds));
  };
  expect(await lengthsOf()).toEqual([2.014, 2, 0]);
  const filled = await fillLengths(await readPackaged(made));
  // Two samples at 48,000 Hz.
  expect(await lengthsOf()).toEqual([2.014, 2, 0.000042]);
  expect(filled.parts[0]?.playlist.segments.map(({ seconds }) => seconds)).toEqual([2.014, 2, 0.000042]);
  expect(filled.parts).toEqual((await readPackaged(made)).parts);
});
