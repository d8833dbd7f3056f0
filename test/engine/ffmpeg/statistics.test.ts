import { expect, test } from 'vitest';
import { createStatisticsReader } from '../../../engine/ffmpeg/statistics.ts';

test("sample counts of encoders are read only from ffmpeg's own lines", () => {
  const { read, statistics } = createStatisticsReader();
  for (const line of [
    'Input file #0 (in):',
    '  Input stream #0:0 (audio): 3011 packets read (5 bytes); 3011 frames decoded (2880000 samples); ',
    '  Output stream #0:0 (audio): 45001 frames encoded (2880024 samples); 3011 packets muxed (648451 bytes); ',
    '  Output stream #7:0 (audio): 1 frames encoded (5 samples); 1 packets muxed (1 bytes); ',
    'title=  Output stream #1:0 (audio): 1 frames encoded (99 samples)',
  ])
    read(line);
  expect([...statistics.encodedSamples]).toEqual([
    [0, 2_880_024],
    [7, 5],
  ]);
});

test('silence that fills gaps and samples that overlap are counted', () => {
  const { read, statistics } = createStatisticsReader();
  for (const line of [
    '[Parsed_aresample_1 @ 0x5593] [SWR @ 0x5594] adding 16384 audio samples of silence',
    '[Parsed_aresample_1 @ 0x5593] [SWR @ 0x5594] discarding 480 audio samples',
    'title=[Parsed_aresample_1 @ 0x5593] [SWR @ 0x5594] discarding 480 audio samples',
  ])
    read(line);
  expect(statistics.mendedSamples).toBe(16_864);
});

test('the highest of the peaks of a filter that was restarted midway is kept', () => {
  const { read, statistics } = createStatisticsReader();
  expect(statistics.peakLevel).toBeUndefined();
  for (const peak of ['-inf', '-3.498475', '-20.7']) read(`[Parsed_astats_5 @ 0x55c1] Peak level dB: ${peak}`);
  expect(statistics.peakLevel).toBe(-3.498475);
});
