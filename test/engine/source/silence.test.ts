import { describe, expect, test } from 'vitest';
import { cutSilences, findSilences, keepExpression } from '../../../engine/source/silence.ts';
import { createQuietBlockReader } from '../../../engine/source/quiet-blocks.ts';
import { placeAfterCut } from '../../../engine/plan/cut-plan.ts';
import type { Silence } from '../../../contract/http/silence.ts';

// At 1000 Hz, a block of 10 samples is 10 ms.
const sampleRate = 1000;
const blockSamples = 10;

/** Blocks in these ranges are silent. */
function quietIn(...ranges: [number, number][]) {
  const peaks = new Float32Array(Math.max(...ranges.map(([, to]) => to))).fill(NaN);
  for (const [from, to] of ranges) peaks.fill(-60, from, to);
  return { blockSamples, peaks };
}

describe('a cut of silences', () => {
  // Silence up to 1 s, from 3 to 5 s, from 6 to 6.1 s, and from 8 s to the end at 10 s.
  const quiet = quietIn([0, 100], [300, 500], [600, 610], [800, 1000]);
  const whole = { from: 0, to: 10_000 };

  test.each<[string, Silence, object]>([
    ['leaves all where nothing is asked for', {}, { ...whole, drops: [] }],
    ['leaves a tenth of a second before the first sound', { trimStart: true }, { from: 900, to: 10_000, drops: [] }],
    ['and after the last', { trimEnd: true }, { from: 0, to: 8100, drops: [] }],
    [
      'shortens pauses from their middle, and both ends',
      { shortenTo: 0.5 },
      { from: 500, to: 8500, drops: [{ from: 3250, to: 4750 }] },
    ],
    [
      'does all at once',
      { trimStart: true, trimEnd: true, shortenTo: 1 },
      { from: 900, to: 8100, drops: [{ from: 3500, to: 4500 }] },
    ],
    [
      'knows no silence below a threshold',
      { trimStart: true, shortenTo: 0.5, threshold: -70 },
      { ...whole, drops: [] },
    ],
    ['leaves a pause that is short enough', { shortenTo: 2 }, { ...whole, drops: [] }],
  ])('%s: %j', (_, silence, cut) => {
    expect(cutSilences(whole, silence, quiet, sampleRate)).toEqual(cut);
  });

  test('a cut starts and ends with its trim', () => {
    const range = { from: 505, to: 4207 };
    const cut = cutSilences(range, { trimStart: true, trimEnd: true, shortenTo: 0.3 }, quiet, sampleRate);
    expect(cut).toEqual({ from: 900, to: 3100, drops: [] });
    expect(cutSilences(range, { shortenTo: 0.3 }, quiet, sampleRate)).toEqual({ from: 700, to: 3300, drops: [] });
  });

  test('a cut drops whole blocks, and never more than requested', () => {
    const { drops } = cutSilences(whole, { shortenTo: 0.505 }, quiet, sampleRate);
    expect(drops).toEqual([{ from: 3260, to: 4740 }]);
  });

  test('a cut of silence alone leaves nothing of a trim, and the requested part of a pause', () => {
    const silent = quietIn([0, 1000]);
    expect(cutSilences(whole, { trimEnd: true }, silent, sampleRate)).toEqual({ from: 0, to: 0, drops: [] });
    expect(cutSilences(whole, { shortenTo: 2 }, silent, sampleRate)).toEqual({ from: 8000, to: 10_000, drops: [] });
  });

  test('a cut keeps to the longest pauses that fit into an argument of ffmpeg', () => {
    const pauses = Array.from({ length: 3000 }, (_, index): [number, number] => [
      index * 100 + 10,
      index * 100 + (index % 3 === 0 ? 50 : 60),
    ]);
    const { drops } = cutSilences({ from: 0, to: 3_000_000 }, { shortenTo: 0.2 }, quietIn(...pauses), sampleRate);
    expect(drops).toHaveLength(2000);
    expect(new Set(drops.map(({ from, to }) => to - from))).toEqual(new Set([300]));
    expect(drops.toSorted((one, other) => one.from - other.from)).toEqual(drops);
    expect(keepExpression(drops, blockSamples).length).toBeLessThan(128 * 1024);
  });
});

test('moves positions after a cut, maps those inside it to its place, and those after the end to nothing', () => {
  const cut = {
    ...{ sampleRate, sourceSamples: 10_000, blockSamples, from: 900, to: 8100, fadeIn: 0, fadeOut: 0 },
    ...{ keptSamples: 6100, keptBefore: 0 },
    drops: [
      { from: 3500, to: 4500 },
      { from: 6000, to: 6100 },
    ],
  };
  const places = [0, 0.9, 2, 3.5, 4, 4.5, 5, 6.05, 8, 8.1, 9.9].map((seconds) => placeAfterCut(cut, seconds));
  expect(places).toEqual([0, 0, 1.1, 2.6, 2.6, 2.6, 3.1, 4.1, 6, undefined, undefined]);
});

test("ffmpeg's blocks are parsed from pieces of any size", () => {
  const text = [
    'frame:0    pts:0       pts_time:0',
    'lavfi.astats.Overall.Peak_level=-inf',
    'frame:12   pts:NOPTS   pts_time:NOPTS',
    'lavfi.astats.Overall.Peak_level=-63.207',
    '',
  ].join('\n');
  const { read, peaks } = createQuietBlockReader();
  for (const letter of text) read(letter);
  const quiet = [...peaks().entries()].filter(([, peak]) => !Number.isNaN(peak));
  expect(quiet).toEqual([
    [0, -Infinity],
    [12, expect.closeTo(-63.207)],
  ]);
});

test('keeps the blocks of a day within 64 MiB', () => {
  const { read, peaks } = createQuietBlockReader();
  const lastBlock = 24 * 3600 * 100 - 1;
  read(`frame:${lastBlock}    pts:0       pts_time:0\nlavfi.astats.Overall.Peak_level=-63.207\n`);
  expect(findSilences({ blockSamples, peaks: peaks() }, 1e9)).toEqual([{ from: 86_399_990, to: 86_400_000 }]);
  expect(peaks().buffer.byteLength).toBeLessThanOrEqual(64 * 1024 ** 2);
});
