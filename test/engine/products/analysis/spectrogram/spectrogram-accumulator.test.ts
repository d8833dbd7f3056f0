import { expect, test } from 'vitest';
import { SpectrogramAccumulator } from '../../../../../engine/products/analysis/spectrogram/spectrogram-accumulator.ts';
import { addInBlocks, samplesOfWave, sine, type Wave } from '../report/report-signals.ts';

const sampleRate = 20_000;

interface Picture {
  width: number;
  height: number;
  seconds: number;
  channels?: number;
}

function draw(wave: Wave, { width, height, seconds, channels = 1 }: Picture) {
  const samples = samplesOfWave(wave, { seconds, sampleRate });
  const shape = { channels, sampleRate, samples: samples.length / channels };
  const accumulator = new SpectrogramAccumulator(shape, { width, height });
  addInBlocks(accumulator, samples, channels);
  const levels = accumulator.levels();
  const columns = Array.from({ length: width }, (_, column) => levels.subarray(column * height, (column + 1) * height));
  const brightestRow = (column: number): number => {
    const level = columns[column] ?? new Float32Array();
    return level.indexOf(Math.max(...level));
  };
  return { columns, brightestRow };
}

test.each([
  { width: 100, height: 128, seconds: 4 },
  { width: 1700, height: 256, seconds: 2.3 },
  { width: 37, height: 1000, seconds: 3 },
])('a chirp is a line from its first frequency to its last: $width x $height', (picture) => {
  const { width, height, seconds } = picture;
  const hertzAt = (time: number): number => 1000 + (8000 * time) / seconds;
  const { brightestRow } = draw(
    (time) => 0.5 * Math.sin(2 * Math.PI * (1000 + (4000 * time) / seconds) * time),
    picture,
  );
  for (let column = 1; column < width - 1; column += 1) {
    const expected = height - (hertzAt(((column + 0.5) / width) * seconds) / (sampleRate / 2)) * height;
    // One row in each direction, plus what the chirp covers within a wide column.
    const tolerance = 2 + (0.8 * height) / width / 2;
    expect(Math.abs(brightestRow(column) + 0.5 - expected)).toBeLessThan(tolerance);
  }
});

test('a click is in its column, and the silence around it is silent', () => {
  const click = 33_333;
  const { columns } = draw((_, index) => (index === click ? 1 : 0), { width: 50, height: 64, seconds: 3 });
  const place = Math.floor((click / (3 * sampleRate)) * 50);
  const levels = columns.map((column) => Math.max(...column));
  expect(levels.indexOf(Math.max(...levels))).toBe(place);
  expect(levels.filter((level) => level === -Infinity).length).toBeGreaterThanOrEqual(48);
});

test('the first and last samples are in the first and last columns', () => {
  const samples = 3 * sampleRate;
  const wave: Wave = (_, index) => (index === 0 || index === samples - 1 ? 1 : 0);
  const { columns } = draw(wave, { width: 50, height: 64, seconds: 3 });
  const heard = columns.flatMap((column, place) => (Math.max(...column) > -Infinity ? [place] : []));
  expect([heard[0], heard.at(-1)]).toEqual([0, 49]);
  expect(heard.length).toBeLessThanOrEqual(4);
});

test('a sine has the level of its amplitude, also on one of two channels and with inverted channels', () => {
  const picture = { width: 10, height: 128, seconds: 2, channels: 2 };
  const tone = sine(2500, 0.1);
  const rowOf = ({ columns, brightestRow }: ReturnType<typeof draw>): number[] => [
    brightestRow(5),
    Math.round((columns[5]?.[brightestRow(5)] ?? 0) * 10) / 10,
  ];
  // A quarter of the way up. The mean of two powers, one of them zero, is 3 dB lower.
  expect(rowOf(draw((time) => [tone(time), -tone(time)], picture))).toEqual([95, -20]);
  expect(rowOf(draw((time) => [tone(time), 0], picture))).toEqual([95, -23]);
});

test.each([1, 7, 600])('%i samples make a picture of any width', (samples) => {
  const { columns } = draw(() => 0.5, { width: 1000, height: 64, seconds: samples / sampleRate });
  expect(columns.every((column) => Math.max(...column) > -60)).toBe(true);
});
