import { expect, test } from 'vitest';
import { createStatisticsReader } from '../../../../engine/ffmpeg/statistics.ts';
import { checkConstant } from '../../../../engine/source/pictures/decoded-size.ts';

const shape = (size: string): string =>
  `[graph 0 input from stream 0:0 @ 0x55] ${size} pixfmt:yuv420p tb:1/90000 fr:25/1 sar:1/1`;
const quarterTurn = '[transpose @ 0x56] w:160 h:90 dir:2 -> w:90 h:160 rotation:counterclockwise vflip:0';

function check(isUpright: boolean, lines: readonly string[]): void {
  const { read, statistics } = createStatisticsReader();
  for (const line of lines) read(line);
  checkConstant({ isUpright }, statistics, 'which cannot be encoded');
}

test.each<[string, boolean, string[]]>([
  ['change their size', true, [shape('w:160 h:90'), shape('w:320 h:180')]],
  ['are turned from some picture on', true, [shape('w:160 h:90'), shape('w:160 h:90'), quarterTurn]],
  ['are turned upside down from some picture on', true, [shape('w:160 h:90'), shape('w:160 h:90')]],
  ['are all turned, although the film begins upright', true, [shape('w:160 h:90'), quarterTurn]],
])('rejects pictures that %s', (_, isUpright, lines) => {
  expect(() => check(isUpright, lines)).toThrow('in the middle, which cannot be encoded.');
});

test.each<[string, boolean, string[]]>([
  ['have one shape', true, [shape('w:160 h:90')]],
  ['are turned by the file', false, [shape('w:160 h:90'), quarterTurn]],
  ['an output turns', true, [shape('w:160 h:90'), quarterTurn.replace('transpose', 'Parsed_transpose_3')]],
])('accepts pictures that %s', (_, isUpright, lines) => {
  expect(() => check(isUpright, lines)).not.toThrow();
});
