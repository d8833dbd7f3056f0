import { expect, test } from 'vitest';
import { parseStoryboard, tileAt } from '../../../page/words/storyboard.ts';

const vtt = `WEBVTT

00:00.000 --> 00:05.000
sprite-001.jpg#xywh=0,0,160,90

00:05.000 --> 01:00:00.500
sprite-002.jpg#xywh=160,90,160,90
`;

test.each([
  [0, 'sprite-001.jpg', 0],
  [4.999, 'sprite-001.jpg', 0],
  [5, 'sprite-002.jpg', 160],
  [9_000, 'sprite-002.jpg', 160],
])('finds the tile for %d s', (seconds, sheet, x) => {
  for (const text of [vtt, vtt.replaceAll('\n', '\r\n')]) {
    expect(tileAt(parseStoryboard(text), seconds)).toMatchObject({ sheet, x, width: 160, height: 90 });
  }
});

test('finds no tiles in a file that is not a storyboard', () => {
  expect(tileAt(parseStoryboard('<html>'), 3)).toBeUndefined();
});
