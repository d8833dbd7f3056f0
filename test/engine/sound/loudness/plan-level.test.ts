import { expect, test } from 'vitest';
import type { Level } from '../../../../engine/plan/audio-plan.ts';
import { encoderEffect } from '../../../../engine/sound/loudness/encoder-effect.ts';
import {
  beforeEncoder,
  explainLoudness,
  firstCeiling,
  hasCancelled,
  isMixSuspicious,
  isNearer,
  isSameLevel,
  needsPreview,
  nextCeiling,
  type LevelRequest,
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
  expect(nextCeiling(request, [{ level, measured }])).toEqual(ceiling);
});

test('a file whose encoder adds peaks gets a limiter below them, even if none was needed before', () => {
  const unlimited = { target, source: of(-20, -5.6), effect: { loss: 0, overshoot: 0.5 } };
  const measured = { level: { gain: 4, ceiling: undefined }, measured: of(-16, -0.7) };
  expect(nextCeiling(unlimited, [measured])).toBeCloseTo(-2);
});

/** As many encodes, all measured like this. */
const encodes = (count: number, measured: ReturnType<typeof of>) =>
  Array.from({ length: count }, () => ({ level, measured }));

test.each([
  ['within 0.1 LU is encoded again three times at most', of(-16.09, -1.2), 3],
  ['further off is encoded again six times at most', of(-16.5, -1.2), 6],
  ['above its peak is encoded again six times at most', of(-16, -0.8), 6],
])('a file %s', (_, measured, most) => {
  expect(nextCeiling(request, encodes(most, measured))).toBeDefined();
  expect(nextCeiling(request, encodes(most + 1, measured))).toBeUndefined();
});

const explain = (asked: LevelRequest, tried: Level, measured: ReturnType<typeof of>) =>
  explainLoudness(asked, { level: tried, measured }, [{ level: tried, measured }]);

test('a sentence states the deviation of a file that misses its target', () => {
  expect(explain(request, level, of(-16.5, -0.8))).toContain('The true peak is 0.2 dB above the -1.0 dBTP');
  expect(explain(request, level, of(-16.5, -1.2))).toContain(
    'The file is 0.5 LU quieter than requested: with its peaks limited to -1.0 dBTP it cannot be louder.',
  );
  expect(explain(request, level, of(-15.6, -1.2))).toContain('0.4 LU louder than requested, because its encoder');
  expect(explain(request, level, of(-16.05, -1))).toBeUndefined();
});

test('peaks are not blamed for a quiet file that has room for them: the sentence reports what was tried', () => {
  const free = { gain: 8, ceiling: undefined };
  const nearest = { level: free, measured: of(-16.3, -11) };
  const tried = [nearest, { level: { gain: 8.4, ceiling: undefined }, measured: of(-16.6, -11.4) }];
  expect(explainLoudness(request, nearest, tried)).toBe(
    'The file is 0.3 LU quieter than requested, because its encoder does not follow the gain: 2 encodes with gains of 8.0 to 8.4 dB gave -16.6 to -16.3 LUFS, and this is the nearest.',
  );
  // A limiter that was set for peaks which the encoder lowered is no reason either.
  expect(explain(request, level, of(-16.3, -4))).toContain('does not follow the gain');
});

test.each([
  [2, 1, 'Left and right cancel each other in the mix to one channel, which is silent or nearly so.'],
  [6, 2, 'The 6 channels of the source are left out or cancel each other in the mix to 2 channels'],
])('a mix of %i channels to %i that cancels is explained as such, with what to do', (from, to, said) => {
  const mixed = of(-Infinity, -Infinity);
  const cancelled = { target, source: mixed, cancels: { from, to }, effect: none };
  const note = explain(cancelled, { gain: 0, ceiling: undefined }, mixed);
  expect(note).toContain(said);
  expect(note).toContain('set downmix to left or right');
});

test('a mix is measured unmixed only if it needs more than maxGain, and has cancelled if it lost more than 20 dB', () => {
  expect(isMixSuspicious(target, of(-45.9, -30))).toBe(false);
  expect(isMixSuspicious(target, of(-46.1, -30))).toBe(true);
  expect(isMixSuspicious(target, of(-Infinity, -Infinity))).toBe(true);
  expect(hasCancelled(of(-Infinity, -Infinity), of(-20, -3))).toBe(true);
  expect(hasCancelled(of(-50, -25), of(-20, -3))).toBe(true);
  expect(hasCancelled(of(-50, -35), of(-40, -20))).toBe(false);
  expect(hasCancelled(of(-Infinity, -Infinity), of(-Infinity, -Infinity))).toBe(false);
});

test('a source that needs more than maxGain is not corrected beyond it, and a sentence says why', () => {
  const quiet = { target, source: of(-60, -40), effect: none };
  const measured = of(-30, -10);
  const most = { gain: 30, ceiling: undefined };
  expect(nextCeiling(quiet, [{ level: most, measured }])).toBeUndefined();
  expect(explain(quiet, most, measured)).toMatch(/so quiet \(-60.0 LUFS\).*30.0 dB that maxGain/);
});

test('a click in silence is explained by the limiter that would need more than maxGain, not by a quiet source', () => {
  const click = { target, source: of(-37.2, -0.9), effect: none };
  const [most, less] = [30, 20].map((gain) => explain(click, { gain, ceiling: -1.1 }, of(-37.5, -1.3)));
  expect(most).toBe(
    'Under a limiter that keeps its peaks at -1.0 dBTP, -16.0 LUFS would take more than the 30.0 dB that maxGain allows.',
  );
  expect(less).toContain('21.5 LU quieter than requested: with its peaks limited to -1.0');
});

test('a silent source is explained as silent', () => {
  const silent = { target, source: of(-Infinity, -Infinity), effect: none };
  const unchanged = { level: { gain: 0, ceiling: undefined }, measured: silent.source };
  expect(nextCeiling(silent, [unchanged])).toBeUndefined();
  expect(explainLoudness(silent, unchanged, [unchanged])).toContain('silent');
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
