import { expect, test } from 'vitest';
import { encoderEffect } from '../../../container/loudness/encoder-effect.ts';
import {
  beforeEncoder,
  correctPreview,
  judgeLevel,
  limiterSlope,
  needsPreview,
  planLevel,
} from '../../../container/loudness/plan-level.ts';

const target = { integrated: -16, truePeak: -1, maxGain: 30 };
const none = { loss: 0, overshoot: 0.1 };
const of = (integrated: number, truePeak: number) => ({ integrated, truePeak, range: 5 });

test.each<[string, number, number, { gain: number; ceiling: number | undefined }]>([
  ['a source with room for its peaks', -20, -9, { gain: 4, ceiling: undefined }],
  ['a source that is too loud', -9, 0.5, { gain: -7, ceiling: undefined }],
  ['a source whose peaks would be too high', -24, -6, { gain: 8, ceiling: -1.1 }],
  ['a quiet source, which gets no more than maxGain', -60, -40, { gain: 30, ceiling: undefined }],
  ['silence, which gets none', -Infinity, -Infinity, { gain: 0, ceiling: undefined }],
  ['a click shorter than 400 ms', -Infinity, 0, { gain: 0, ceiling: -1.1 }],
])('the level of %s', (_, integrated, truePeak, level) => {
  expect(planLevel({ target, source: of(integrated, truePeak), effect: none })).toEqual(level);
});

test('a limiter is tried out only where it takes enough to be measured', () => {
  expect(needsPreview({ gain: 8, ceiling: undefined }, of(-24, -20))).toBe(false);
  expect(needsPreview({ gain: 8, ceiling: -1.1 }, of(-24, -8.8))).toBe(false);
  expect(needsPreview({ gain: 8, ceiling: -1.1 }, of(-24, -6))).toBe(true);
  expect(needsPreview({ gain: 0, ceiling: -1.1 }, of(-Infinity, 0))).toBe(false);
});

test('what the limiter took is given back, with what it takes of that', () => {
  const request = { target, source: of(-24, -6), effect: none };
  const preview = { level: { gain: 8, ceiling: -1.1 }, integrated: -16.31 };
  expect(limiterSlope(request.source, preview)).toBeCloseTo(0.8, 5);
  expect(correctPreview(request, preview)).toEqual({ gain: expect.closeTo(8.3875, 4), ceiling: -1.1 });
});

const request = { target, source: of(-24, -6), effect: { loss: 0, overshoot: 0.5 } };
const level = { gain: 8.4, ceiling: -1.5 };

test.each<[string, number, number, object]>([
  ['at its target is done', -16.05, -1, { kind: 'done', note: undefined }],
  ['too quiet gets more gain', -16.4, -1.2, { kind: 'again', level: { gain: expect.closeTo(8.9), ceiling: -1.5 } }],
  // The ceiling goes down by what it was above, and 0.1 dB; that takes a fifth of it away, and a slope of 0.8 asks for more.
  [
    'above its peak gets a lower ceiling, and what that takes',
    -16,
    -0.6,
    { kind: 'again', level: { gain: expect.closeTo(8.525), ceiling: -2 } },
  ],
])('a file %s', (_, integrated, truePeak, next) => {
  const measured = of(integrated, truePeak);
  expect(judgeLevel(request, { level, measured, slope: 0.8, corrections: 0 })).toEqual(next);
});

test('a file whose encoder adds peaks where none had to be limited gets a limiter below them', () => {
  const next = judgeLevel(
    { target, source: of(-20, -5.6), effect: { loss: 0, overshoot: 0.5 } },
    { level: { gain: 4, ceiling: undefined }, measured: of(-16, -0.7), slope: 1, corrections: 0 },
  );
  expect(next).toEqual({ kind: 'again', level: { gain: 4, ceiling: expect.closeTo(-2) } });
});

test('after three corrections a file is taken as it is, and the note says by how much it is off', () => {
  const measured = of(-16.5, -0.8);
  expect(judgeLevel(request, { level, measured, slope: 0.8, corrections: 2 }).kind).toBe('again');
  const last = judgeLevel(request, { level, measured, slope: 0.8, corrections: 3 });
  expect(last).toEqual({ kind: 'done', note: expect.stringContaining('The true peak is 0.2 dB above the -1.0 dBTP') });
  const quiet = judgeLevel(request, { level, measured: of(-16.5, -1.2), slope: 0.8, corrections: 3 });
  expect(quiet).toEqual({
    kind: 'done',
    note: expect.stringContaining('The file is 0.5 LU quieter than was asked for'),
  });
});

test('a source that needs more than maxGain is not corrected beyond it, and the note says why', () => {
  const quiet = { target, source: of(-60, -40), effect: none };
  const measured = of(-30, -10);
  const next = judgeLevel(quiet, { level: planLevel(quiet), measured, slope: 1, corrections: 0 });
  expect(next).toEqual({ kind: 'done', note: expect.stringMatching(/so quiet \(-60.0 LUFS\).*30.0 dB that maxGain/) });
});

test('one click in silence takes all the gain there is and is not as loud as that: the note says that its peaks are in the way', () => {
  const click = { target, source: of(-37.2, -0.9), effect: none };
  const measured = of(-37.5, -1.3);
  const limited = { level: { gain: 30, ceiling: -1.1 }, measured, slope: 0.3, corrections: 1 };
  expect(judgeLevel(click, limited)).toEqual({
    kind: 'done',
    note: expect.stringContaining('21.5 LU quieter than was asked for: with its peaks at -1.0 dBTP'),
  });
});

test('of silence the note says that it is silent', () => {
  const silent = { target, source: of(-Infinity, -Infinity), effect: none };
  const judged = judgeLevel(silent, { level: planLevel(silent), measured: silent.source, slope: 1, corrections: 0 });
  expect(judged).toEqual({ kind: 'done', note: expect.stringContaining('silent') });
});

test.each([
  [128, 0.446],
  [192, 0.265],
  [320, 0],
])('LAME is given %i kbit/s louder by %f dB, and the ceiling with it', (bitrate, loss) => {
  const effect = encoderEffect({ codec: 'mp3', bitrate, channels: 2 });
  const { gain, ceiling } = beforeEncoder({ gain: 4, ceiling: -2 }, effect);
  expect(gain).toBeCloseTo(4 + loss, 2);
  expect(ceiling).toBeCloseTo(-2 + loss, 2);
});
