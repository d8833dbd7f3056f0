import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { muxCopied } from '../../../engine/pictures/mux-copied.ts';
import type { PictureTarget } from '../../../engine/pictures/picture-target.ts';
import { testFolder } from '../../support/folder.ts';

test('a copy that fails leaves no subtitles where the encode writes its own', async () => {
  const folder = testFolder();
  const [source, subtitles] = [join(folder, 'source'), join(folder, 'subtitles-of-track-0')];
  for (const path of [source, subtitles]) await writeFile(path, 'no film');
  const pictures = { path: subtitles, codec: 'hdmv_pgs_subtitle', canvas: undefined, packets: [] };
  const content = { kind: 'pictures', pictures, window: { start: 0, seconds: 1 } };
  const timing = { kind: 'constant', fps: { num: 25, den: 1 }, frames: 25, startSeconds: 0 };
  const plan = {
    ...{ container: 'mkv', video: { codec: 'h264', timing } },
    subtitles: { tracks: [{ codec: pictures.codec, content }], left: [] },
  } as unknown as PictureTarget['plan'];
  const limits = {
    ...{ stallTimeoutSeconds: 30, maxOutputBytes: 2 ** 20, maxCpuSeconds: 30 },
    ...{ maxSourceDurationSeconds: 60, maxSourceStreams: 9 },
  };
  const log = { info: () => {}, warn: () => {} };
  const work = { signal: new AbortController().signal, folder, log, advance: () => {} };
  const target = { plan, path: join(folder, 'output-0'), soundPath: undefined };
  const from = { path: source, index: 0, inputOptions: [], options: [] };
  await expect(muxCopied(from, target, limits, work)).rejects.toMatchObject({ name: 'MediaError' });
  expect((await readdir(folder)).toSorted()).toEqual(['source', 'subtitles-of-track-0']);
});
