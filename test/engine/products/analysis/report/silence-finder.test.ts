import { expect, test } from 'vitest';
import { SilenceFinder } from '../../../../../engine/products/analysis/report/silence-finder.ts';
import type { AudioReport } from '../../../../../contract/http/report.ts';
import { randomNumbers } from '../../../../support/random.ts';
import { addInBlocks, samplesOfWave, type Wave } from './report-signals.ts';

const sampleRate = 8000;

function findSilences(wave: Wave, seconds: number, channels = 1, rate = sampleRate): AudioReport['silence'] {
  const finder = new SilenceFinder({ channels, sampleRate: rate });
  addInBlocks(finder, samplesOfWave(wave, { seconds, sampleRate: rate }), channels);
  return finder.result();
}

test('pauses of at least half a second are reported with their exact first and last sample', () => {
  const isQuiet = (time: number): boolean =>
    time < 0.7 || (time >= 1 && time < 1.4) || (time >= 2 && time < 2.5) || time >= 3.25;
  // -50.1 dBFS, and -49.9.
  const { places, count, seconds } = findSilences((time) => (isQuiet(time) ? 0.003_12 : -0.0032), 4);
  expect(places).toEqual([
    { start: 0, end: 0.7 },
    { start: 2, end: 2.5 },
    { start: 3.25, end: 4 },
  ]);
  expect([count, seconds]).toEqual([3, 1.95]);
});

test('silence requires all channels to be silent', () => {
  const { places } = findSilences((time) => [0, time >= 1 && time < 2 ? 0 : 0.5], 3, 2);
  expect(places).toEqual([{ start: 1, end: 2 }]);
});

test('the longest of very many pauses are reported in order, and all are counted', () => {
  // A click after every half second and a few samples.
  const clicks = new Set<number>();
  for (let at = 0, turn = 0; turn < 1500; turn += 1) clicks.add((at += 201 + (turn % 25)));
  const { places, count } = findSilences(
    (_, index) => (clicks.has(index) ? 1 : 0),
    (Math.max(...clicks) + 1) / 400,
    1,
    400,
  );
  expect(count).toBe(1500);
  expect(places).toHaveLength(500);
  expect(Math.min(...places.map(({ start, end }) => end - start))).toBeGreaterThan(0.53);
  expect(places).toEqual(places.toSorted((one, other) => one.start - other.start));
});

test('clicks anywhere yield the same pauses as an inspection of every sample', () => {
  const random = randomNumbers(7);
  const samples = samplesOfWave(() => (random() < 0.0002 ? 1 : 0), { seconds: 60, sampleRate });
  const loud = [
    -1,
    ...[...samples.entries()].flatMap(([index, value]) => (value === 0 ? [] : [index])),
    samples.length,
  ];
  const pauses = loud.slice(1).map((to, index) => ({ from: (loud[index] ?? 0) + 1, to }));
  const long = pauses.filter(({ from, to }) => to - from >= sampleRate / 2);
  const { places } = findSilences((_, index) => samples[index] ?? 0, 60);
  const rounded = (at: number): number => Math.round((at / sampleRate) * 1000) / 1000;
  expect(long.length).toBeGreaterThan(20);
  expect(places).toEqual(long.map(({ from, to }) => ({ start: rounded(from), end: rounded(to) })));
});
