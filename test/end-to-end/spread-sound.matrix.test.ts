import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { speech } from '../engine/sound/segmented/inputs.ts';
import { stopFfmpegOf } from '../support/ffmpeg-processes.ts';
import { useFolder } from '../support/folder.ts';
import { makeMedia, rawSamplesOf } from '../support/media-files.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const folder = useFolder();
await mkdir(join(folder, 'segments'));
const stack = await stopAfterAll(
  TestStack.start({
    containers: 2,
    containerEnvironment: { MEDIA_ROOT: folder, ENCODE_PARALLELISM: '1' },
    workerEnvironment: {
      MEDIA_ROOT: folder,
      SEGMENT_STORE_URL: `${pathToFileURL(join(folder, 'segments')).href}/`,
    },
  }),
);

const url = (name: string): string => pathToFileURL(join(folder, name)).href;

/** Encodes the recording to `<name>-<format>`. */
async function encode(name: string, formats: readonly string[], more: object) {
  const outputs = formats.map((format) => ({ format, uploadUrl: url(`${name}-${format}`) }));
  return await stack.run('encode', { sourceUrl: url('talk.m4a'), outputs, retry: { baseDelay: 1 }, ...more });
}

test('a recording on two containers, one of which is killed in the middle, has the sound of one ffmpeg', async () => {
  const [first, second] = stack.containers;
  if (first === undefined || second === undefined) throw new Error('two containers');
  await makeMedia(folder, 'talk.m4a', '-i', await speech({ seconds: 200 }), '-c:a', 'aac', '-b:a', '64k');
  const formats = ['mp3_64', 'opus_32'];
  const handle = await encode('spread', formats, { spread: { containers: 2, segmentSeconds: 20 } });
  await stack.untilStatus(handle, 'two running segments', ({ spread }) => spread?.running === 2);
  await stopFfmpegOf(first);
  await first.process.stop('SIGKILL');
  const { spread, outputs } = (await handle.result()) as EncodeOutcome;
  expect(spread).toEqual({ segments: 2 });
  expect(outputs.map(({ segments }) => segments)).toEqual([2, 2]);
  expect(await stack.status(handle)).toMatchObject({ spread: { segments: 2, done: 2, running: 0, waiting: 0 } });
  expect(await readdir(join(folder, 'segments'))).toEqual([]);
  const kinds = (await second.call('GET', '/jobs')).body.jobs as unknown[];
  // Plan, two segments and join: no other job was repeated.
  expect(kinds.length).toBeLessThanOrEqual(4);

  await (await encode('plain', formats, {})).result();
  const file = async (name: string): Promise<Buffer> => await readFile(join(folder, name));
  expect((await file('spread-mp3_64')).equals(await file('plain-mp3_64'))).toBe(true);
  const samplesOf = async (name: string): Promise<Buffer> =>
    Buffer.from((await rawSamplesOf(join(folder, name), 's16le')).buffer);
  const [samples, plain] = [await samplesOf('spread-opus_32'), await samplesOf('plain-opus_32')];
  expect(samples.length).toBe(plain.length);
  // The first segment's encoder has the same samples as that of the whole.
  const quarter = Math.floor(samples.length / 4);
  expect(samples.subarray(0, quarter).equals(plain.subarray(0, quarter))).toBe(true);
});
