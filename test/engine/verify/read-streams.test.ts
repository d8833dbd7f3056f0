import { appendFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readStreams } from '../../../engine/verify/read-streams.ts';
import { musicOgg } from '../../support/media.ts';
import { makeMedia, probe } from '../../support/media-files.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();
const { signal } = new AbortController();
const entries = [
  '-show_entries',
  'stream=codec_type,codec_name,channels,sample_rate,nb_read_packets',
  '-count_packets',
];

/** The facts of a file's streams by a plain ffprobe. */
async function probedStreams(path: string): Promise<object[]> {
  const { streams } = (await probe(path, ...entries, '-f', 'mp3')) as { streams: Record<string, unknown>[] };
  return streams.map(({ sample_rate, nb_read_packets, ...facts }) => {
    return { ...facts, sample_rate: Number(sample_rate), nb_read_packets: Number(nb_read_packets) };
  });
}

test.each([
  ['stereo.mp3', ['-b:a', '128k']],
  ['mono.mp3', ['-ac', '1', '-ar', '22050', '-b:a', '32k']],
  ['variable.mp3', ['-q:a', '4']],
])('the stream of %s (%j) is that of ffprobe', async (name, options) => {
  const path = await makeMedia(folder, name, '-i', musicOgg, '-t', '3', ...options);
  const [stream] = await readStreams(path, { container: 'mp3' }, signal);
  expect([stream]).toMatchObject(await probedStreams(path));
});

test('ffprobe counts the frames of an mp3 that is not as ffmpeg writes it', async () => {
  const path = await makeMedia(folder, 'odd.mp3', '-i', musicOgg, '-t', '3', '-b:a', '64k');
  await appendFile(path, 'not a frame');
  expect(await readStreams(path, { container: 'mp3' }, signal)).toMatchObject(await probedStreams(path));
});
