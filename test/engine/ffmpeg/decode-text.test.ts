import { expect, test } from 'vitest';
import { decodeLines } from '../../../engine/ffmpeg/decode-text.ts';

test('decodes each line in UTF-8, or else in Windows-1252', () => {
  const lines = [Buffer.from('"title": "M\xfcller"\n', 'latin1'), Buffer.from('"artist": "Grün"\n')];
  expect(decodeLines(Buffer.concat(lines))).toBe('"title": "Müller"\n"artist": "Grün"\n');
});

test('decodes a line of millions of quotes in one piece', () => {
  const quotes = String.raw`\"`.repeat(2_000_000);
  const before = process.memoryUsage().heapUsed;
  expect(decodeLines(Buffer.from(`\xff${quotes}`, 'latin1')) === `ÿ${quotes}`).toBe(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6);
});
