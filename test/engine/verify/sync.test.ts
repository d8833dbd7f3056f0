import { expect, test } from 'vitest';
import { timeStampFilter } from '../../../engine/ffmpeg/gap-filter.ts';
import { findSyncProblem } from '../../../engine/verify/sync.ts';
import { useFolder } from '../../support/folder.ts';
import { makeMedia } from '../../support/media-files.ts';

const folder = useFolder();

const limits = {
  ...{ maxSourceBytes: 1e9, maxSourceDurationSeconds: 100, maxSourceStreams: 8 },
  ...{ stallTimeoutSeconds: 30, maxOutputBytes: 1e9, maxCpuSeconds: 60 },
};
const run = { limits: { ...limits, writableFolder: folder }, folder, signal: new AbortController().signal };

const noise = ['-f', 'lavfi', '-i', 'anoisesrc=r=48000:d=6:seed=3,lowpass=f=3000'];
const madeWith = async (name: string, path: string, filter: string): Promise<string> =>
  await makeMedia(folder, name, '-i', path, '-af', filter, '-c:a', 'flac');

test('sound that leaves its time is reported, and sound at its time is not', async () => {
  const path = await makeMedia(
    folder,
    'lossy.mka',
    ...noise,
    ...['-af', "asetnsamples=n=1024,aselect='mod(n+1\\,20)',asetpts=PTS", '-c:a', 'flac', '-frame_size', '1024'],
  );
  const film = { path, startSeconds: 0 };
  const problemOf = async (output: string) => await findSyncProblem(output, { film, track: 0 }, 6, run);
  const filled = await madeWith('filled.mka', path, timeStampFilter({ sampleRate: 48_000 }));
  expect(await problemOf(filled)).toBeUndefined();
  const closed = await madeWith('closed.mka', path, 'asetpts=N/SR/TB');
  expect(await problemOf(closed)).toMatch(/^its sound is up to 1\d\d ms off its time, at \d+ of \d+ points$/);
});

test('two sounds are compared side by side in one folder', async () => {
  const path = await makeMedia(folder, 'noise.flac', ...noise);
  const other = await makeMedia(folder, 'other.flac', ...noise, '-af', 'volume=0.5');
  const compared = Array.from({ length: 3 }, () => [path, other]).flat();
  const problems = compared.map((made) =>
    findSyncProblem(made, { film: { path: made, startSeconds: 0 }, track: 0 }, 6, run),
  );
  expect(await Promise.all(problems)).toEqual(compared.map(() => undefined));
});
