import { expect, test } from 'vitest';
import { probe } from '../../../support/media-files.ts';
import { useChunkPlaces } from './use-chunk-places.ts';

const places = await useChunkPlaces();

/** Sources whose chunks are lossless; places.matrix.test.ts has the others. */
const exact: [name: string, args: string, sampleRate?: number][] = [
  ['ms.wav', '-c:a adpcm_ms'],
  ['v2.wma', '-c:a wmav2 -ar 22050', 22_050],
  ['ac3.mpg', '-c:a ac3 -ar 32000 -f vob', 32_000],
  ['amrnb.amr', '', 8000],
  ['s16.caf', '-c:a pcm_s16be'],
  ['a.flac', '-c:a flac'],
];

test.each(exact)('cuts %s (%s) into chunks with the samples of their place', async (name, args, sampleRate) => {
  await places.expectExact(name, args, sampleRate);
});

/** Sources whose chunks are copied packets, or encoded again where a copy could be misplaced. */
const lossy: [name: string, args: string][] = [
  ['aac.ts', '-c:a aac'],
  ['mp3.avi', '-c:a libmp3lame -ar 32000'],
];

test.each(lossy)('cuts %s (%s) into chunks that begin within 50 ms of their place', async (name, args) => {
  await places.expectNear(name, args);
});

test('keeps the first sound of an mp3 of which an edit list hides a millisecond', async () => {
  const whole = await places.make('whole.mp3', '-c:a libmp3lame -ar 44100');
  await places.expectNear('cut.mp4', `-ss 1.7 -i ${whole} -map 1:a -c copy`);
});

test('keeps the speaker layout of a surround source that is decoded first', async () => {
  await places.make('surround.ac3', '-af aformat=channel_layouts=5.1(side) -ar 48000 -c:a ac3');
  for (const { path } of await places.cut('surround.ac3')) {
    const facts = await probe(path, '-show_entries', 'stream=channels,channel_layout');
    expect(facts).toMatchObject({ streams: [{ channels: 6, channel_layout: '5.1(side)' }] });
  }
});
