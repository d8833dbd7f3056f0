import { expect, test } from 'vitest';
import { createFrameGrid } from '../../../../engine/sound/segmented/grid.ts';
import { joinableCodecs } from '../../../../engine/sound/segmented/joinable-codecs.ts';

test.each([
  // 128 kbit/s at 44.1 kHz: 417 23/49 bytes per frame.
  ['mp3' as const, 128, 44_100, 44_100, 1152, 49],
  ['mp3' as const, 128, 48_000, 48_000, 1152, 1],
  // 5 frames at 48 kHz are 5292 samples at 44.1 kHz, a whole number of the resampler's periods.
  ['mp3' as const, 128, 48_000, 44_100, 1152, 5],
  ['mp3' as const, 32, 22_050, 44_100, 576, 49],
  ['mp3' as const, 24, 16_000, 16_000, 576, 1],
  ['aac' as const, 96, 44_100, 44_100, 1024, 1],
  ['opus' as const, 96, 48_000, 48_000, 960, 4],
  ['opus' as const, 24, 24_000, 44_100, 480, 4],
])(
  '%s, %d kbit/s at %d Hz from %d Hz: cuts are on multiples of the step',
  (codec, bitrate, sampleRate, sourceRate, frameSamples, step) => {
    expect(
      createFrameGrid(joinableCodecs[codec]!, { bitrate, sampleRate, evensSpeech: false }, sourceRate),
    ).toMatchObject({
      frameSamples,
      step,
    });
  },
);

test.each([
  ['mp3' as const, 44_100, 735],
  ['mp3' as const, 48_000, 25],
  ['aac' as const, 48_000, 225],
  ['opus' as const, 48_000, 60],
])('%s at %d Hz with levelled speakers: cuts also start frames of 0.3 s', (codec, sampleRate, step) => {
  const output = { bitrate: 128, sampleRate, evensSpeech: true };
  const grid = createFrameGrid(joinableCodecs[codec]!, output, sampleRate);
  expect(grid).toMatchObject({ step });
  expect(((grid?.memoryFrames ?? 0) * (grid?.frameSamples ?? 0)) / sampleRate).toBeGreaterThanOrEqual(2.7);
});

test('rates without a simple ratio have no grid', () => {
  expect(
    createFrameGrid(joinableCodecs.mp3!, { bitrate: 128, sampleRate: 48_000, evensSpeech: false }, 44_101),
  ).toBeUndefined();
});
