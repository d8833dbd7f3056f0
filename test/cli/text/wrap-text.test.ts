import { expect, test } from 'vitest';
import { wrapLine, wrapText } from '../../../cli/text/wrap-text.ts';

test('wraps between facts, and within a long fact between words', () => {
  expect(wrapLine('video · 640 × 360 pixels · 25 fps', 26)).toEqual(['video · 640 × 360 pixels', '25 fps']);
  expect(wrapLine('a note of many words · 25 fps', 12)).toEqual(['a note of', 'many words', '25 fps']);
});

test('keeps a word that is longer than the line whole', () => {
  expect(wrapLine('see http://127.0.0.1:8233/namespaces now', 12)).toEqual([
    'see',
    'http://127.0.0.1:8233/namespaces',
    'now',
  ]);
});

test('indents the rest of a line like its start, and changes no line that fits', () => {
  expect(wrapText('done\n    one two three\n  ▆  ▇', 12)).toBe('done\n    one two\n    three\n  ▆  ▇');
  expect(wrapText('a  b')).toBe('a  b');
});

test('counts no colours, so a coloured line that fits stays whole', () => {
  const line = '\u001B[33m  - one two\u001B[39m';
  expect(wrapText(line, 11)).toBe(line);
  expect(wrapText(line, 8)).not.toBe(line);
});
