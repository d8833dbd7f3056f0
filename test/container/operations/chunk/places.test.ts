import { expect, test } from 'vitest';
import { probe } from '../../../support/media-files.ts';
import { useChunkPlaces } from './use-chunk-places.ts';

const places = useChunkPlaces();

/** Sources whose chunks are written without loss. All others are in chunk-places.slow.test.ts. Each must have the very samples that plain ffmpeg has at its place. */
const exact: [name: string, args: string, sampleRate?: number][] = [
  ['ms.wav', '-c:a adpcm_ms'],
  ['v2.wma', '-c:a wmav2 -ar 22050', 22_050],
  ['ac3.mpg', '-c:a ac3 -ar 32000 -f vob', 32_000],
  ['amrnb.amr', '', 8000],
  ['s16.caf', '-c:a pcm_s16be'],
  ['a.flac', '-c:a flac'],
];

test.each(exact)('chunks of %s (%s) are the samples of their place', async (name, args, sampleRate) => {
  await places.expectExact(name, args, sampleRate);
});

/** Sources whose chunks are copies of packets, or are encoded anew where a copy could be of another place. */
const lossy: [name: string, args: string][] = [
  ['aac.ts', '-c:a aac'],
  ['mp3.avi', '-c:a libmp3lame -ar 32000'],
];

test.each(lossy)('chunks of %s (%s) begin within 50 ms of their place', async (name, args) => {
  await places.expectNear(name, args);
});

test('a source of many channels that is decoded first keeps their speakers', async () => {
  await places.make('surround.ac3', '-af aformat=channel_layouts=5.1(side) -ar 48000 -c:a ac3');
  for (const { path } of await places.cut('surround.ac3')) {
    const facts = await probe(path, '-show_entries', 'stream=channels,channel_layout');
    expect(facts).toMatchObject({ streams: [{ channels: 6, channel_layout: '5.1(side)' }] });
  }
});
