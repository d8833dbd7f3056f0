import { expect, test } from 'vitest';
import { encoderEffect } from '../../../../engine/sound/loudness/encoder-effect.ts';
import {
  beforeEncoder,
  explainLoudness,
  firstCeiling,
  isNearer,
  isSameLevel,
  needsPreview,
  nextCeiling,
  withLimiter,
} from '../../../../engine/sound/loudness/plan-level.ts';

const target = { integrated: -16, truePeak: -1, maxGain: 30 };
const none = { loss: 0, overshoot: 0.1 };
const of = (integrated: number, truePeak: number) => ({ integrated, truePeak, range: 5 });

test.each<[string, number, number, { gain: number; ceiling: number | undefined }]>([
  ['a source with room for its peaks gets no limiter', 4, -9, { gain: 4, ceiling: undefined }],
  ['a source that is too loud gets none', -7, 0.5, { gain: -7, ceiling: undefined }],
  ['a source whose peaks would be too high gets one', 8, -6, { gain: 8, ceiling: -1.1 }],
  ['silence gets none', 0, -Infinity, { gain: 0, ceiling: undefined }],
  ['a click shorter than 400 ms gets one', 0, 0, { gain: 0, ceiling: -1.1 }],
])('%s', (_, gain, truePeak, level) => {
  expect(withLimiter(gain, firstCeiling({ target, source: of(-20, 0), effect: none }), of(-20, truePeak))).toEqual(
    level,
  );
});

test('a limiter is tried out only if its effect can be measured', () => {
  expect(needsPreview({ gain: 8, ceiling: undefined }, of(-24, -20))).toBe(false);
  expect(needsPreview({ gain: 8, ceiling: -1.1 }, of(-24, -8.8))).toBe(false);
  expect(needsPreview({ gain: 8, ceiling: -1.1 }, of(-24, -6))).toBe(true);
  expect(needsPreview({ gain: 0, ceiling: -1.1 }, of(-Infinity, 0))).toBe(false);
});

const request = { target, source: of(-24, -6), effect: { loss: 0, overshoot: 0.5 } };
const level = { gain: 8.4, ceiling: -1.5 };

test.each<[string, [number, number], [number, number], boolean]>([
  ['the loudness', [-16.1, -2], [-15.8, -2], true],
  ['a peak above its ceiling first', [-16.3, -1], [-16, -0.8], true],
  ['the loudness of two without one', [-16.3, -1.5], [-16, -1], false],
  ['neither of two that are alike', [-16, -1], [-16, -1], false],
])('the nearer of two files is chosen by %s', (_, one, other, isFirst) => {
  expect(isNearer(request, of(...one), of(...other))).toBe(isFirst);
});

test.each<[string, number, number, number | undefined]>([
  ['at its target is right', -16.05, -1, undefined],
  ['too quiet is encoded again under the same ceiling', -16.4, -1.2, -1.5],
  // The excess, plus 0.1 dB.
  ['above its peak gets a lower ceiling', -16, -0.6, -2],
])('a file %s', (_, integrated, truePeak, ceiling) => {
  const measured = of(integrated, truePeak);
  expect(nextCeiling(request, { level, measured, corrections: 0 })).toEqual(ceiling);
});

test('a file whose encoder adds peaks gets a limiter below them, even if none was needed before', () => {
  const unlimited = { target, source: of(-20, -5.6), effect: { loss: 0, overshoot: 0.5 } };
  const measured = { level: { gain: 4, ceiling: undefined }, measured: of(-16, -0.7), corrections: 0 };
  expect(nextCeiling(unlimited, measured)).toBeCloseTo(-2);
});

test('a file is accepted after three corrections, with a sentence that states its deviation', () => {
  const measured = of(-16.5, -0.8);
  expect(nextCeiling(request, { level, measured, corrections: 2 })).toBeDefined();
  expect(nextCeiling(request, { level, measured, corrections: 3 })).toBeUndefined();
  expect(explainLoudness(request, level, measured)).toContain('The true peak is 0.2 dB above the -1.0 dBTP');
  expect(explainLoudness(request, level, of(-16.5, -1.2))).toContain('The file is 0.5 LU quieter than was asked for');
  expect(explainLoudness(request, level, of(-15.6, -1.2))).toContain(
    '0.4 LU louder than was asked for: what its encoder',
  );
  expect(explainLoudness(request, level, of(-16.05, -1))).toBeUndefined();
});

test('a source that needs more than maxGain is not corrected beyond it, and a sentence says why', () => {
  const quiet = { target, source: of(-60, -40), effect: none };
  const measured = of(-30, -10);
  const most = { gain: 30, ceiling: undefined };
  expect(nextCeiling(quiet, { level: most, measured, corrections: 0 })).toBeUndefined();
  expect(explainLoudness(quiet, most, measured)).toMatch(/so quiet \(-60.0 LUFS\).*30.0 dB that maxGain/);
});

test('a click in silence is explained by the limiter that would need more than maxGain, not by a quiet source', () => {
  const click = { target, source: of(-37.2, -0.9), effect: none };
  const [most, less] = [30, 20].map((gain) => explainLoudness(click, { gain, ceiling: -1.1 }, of(-37.5, -1.3)));
  expect(most).toBe(
    'Under a limiter that keeps its peaks at -1.0 dBTP, -16.0 LUFS would take more than the 30.0 dB that maxGain allows.',
  );
  expect(less).toContain('21.5 LU quieter than was asked for: with its peaks at -1.0');
});

test('a silent source is explained as silent', () => {
  const silent = { target, source: of(-Infinity, -Infinity), effect: none };
  const level = { gain: 0, ceiling: undefined };
  expect(nextCeiling(silent, { level, measured: silent.source, corrections: 0 })).toBeUndefined();
  expect(explainLoudness(silent, level, silent.source)).toContain('silent');
});

test('levels differ by a hundredth of a decibel, or by a limiter', () => {
  expect(isSameLevel({ gain: 4, ceiling: -1 }, { gain: 4.001, ceiling: -1 })).toBe(true);
  expect(isSameLevel({ gain: 4, ceiling: -1 }, { gain: 4.02, ceiling: -1 })).toBe(false);
  expect(isSameLevel({ gain: 4, ceiling: -1 }, { gain: 4, ceiling: -1.2 })).toBe(false);
  expect(isSameLevel({ gain: 4, ceiling: undefined }, { gain: 4, ceiling: -0.001 })).toBe(false);
});

test.each([
  [128, 0.446],
  [192, 0.265],
  [320, 0],
])('the input of LAME at %i kbit/s is raised by %f dB, together with the ceiling', (bitrate, loss) => {
  const effect = encoderEffect({ codec: 'mp3', bitrate, channels: 2 });
  const { gain, ceiling } = beforeEncoder({ gain: 4, ceiling: -2 }, effect);
  expect(gain).toBeCloseTo(4 + loss, 2);
  expect(ceiling).toBeCloseTo(-2 + loss, 2);
});
