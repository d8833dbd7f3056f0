import { expect, test } from 'vitest';
import { flattenCues, placeCues } from '../../../engine/subtitles/place-cues.ts';

const cue = (startMs: number, endMs: number, text: string) => ({ startMs, endMs, text });

test("cues move to the output's clock in order, and invisible parts are cut off", () => {
  const cues = [cue(9000, 9900, 'late'), cue(1000, 3000, 'across'), cue(0, 1999, 'before'), cue(5990, 8000, 'end')];
  expect(placeCues([...cues, cue(2500, 2600, 'in')], { start: 2.0004, seconds: 4 })).toEqual([
    cue(0, 1000, 'across'),
    cue(500, 600, 'in'),
    cue(3990, 4000, 'end'),
  ]);
});

test('overlapping cues become one with all lines, and no two are shown at a time', () => {
  const cues = [cue(1000, 5000, 'A'), cue(2000, 3000, 'B'), cue(2000, 4000, 'C'), cue(5000, 6000, 'D')];
  expect(flattenCues(cues)).toEqual([
    cue(1000, 2000, 'A'),
    cue(2000, 3000, 'A\nB\nC'),
    cue(3000, 4000, 'A\nC'),
    cue(4000, 5000, 'A'),
    cue(5000, 6000, 'D'),
  ]);
  // A hostile file shows all texts at once.
  const crowd = flattenCues(Array.from({ length: 2000 }, (_, index) => cue(index, 100_000, 'x')));
  expect(Math.max(...crowd.map(({ text }) => text.length))).toBe(15);
});

test('many texts that are all shown at once are merged in time, each as soon as there is room', () => {
  const count = 50_000;
  const nested = Array.from({ length: count }, (_, index) => cue(index, 2 * count - index, `${index}`));
  const startMs = performance.now();
  const flat = flattenCues(nested);
  expect(performance.now() - startMs).toBeLessThan(3000);
  expect(flat).toHaveLength(2 * count - 1);
  expect(flat.at(-10)).toEqual(cue(2 * count - 10, 2 * count - 9, [0, 1, 2, 3, 4, 5, 6, 7].join('\n')));
  expect(flat.at(-1)).toEqual(cue(2 * count - 1, 2 * count, '0'));
  // The second crowd waits behind the first, and its own first texts end while they wait.
  const waiting = [0, 1, 2, 3, 4, 5, 6, 7].map((place) => cue(place, 100, `a${place}`));
  const late = [cue(10, 50, 'gone'), cue(20, 200, 'b'), cue(30, 300, 'c')];
  expect(flattenCues([...waiting, ...late]).slice(-2)).toEqual([cue(100, 200, 'b\nc'), cue(200, 300, 'c')]);
});
