import { expect, test } from 'vitest';
import { formatSubRip, parseSubRip } from '../../../../engine/formats/subrip/subrip.ts';

test('cues are read as written, even if lines of text are numbers', () => {
  const cues = [
    { startMs: 0, endMs: 1001, text: 'one\n2\nnot the next' },
    { startMs: 500, endMs: 360_000_000, text: '00:00:01,000 --> 00:00:02,000' },
    { startMs: 3_723_004, endMs: 3_723_005, text: 'a' },
  ];
  expect(formatSubRip(cues.slice(2))).toBe('1\n01:02:03,004 --> 01:02:03,005\na\n');
  expect(parseSubRip(formatSubRip(cues))).toEqual(cues);
  expect(parseSubRip('')).toEqual([]);
  expect(parseSubRip('1\n00:00:00,000 --> 00:00:01,000\na\r\n\0b\u0085\n')).toMatchObject([{ text: 'a\nb' }]);
  // A cue without text is not shown.
  expect(parseSubRip('1\n00:00:00,000 --> 00:00:01,000\n\n\n')).toEqual([{ startMs: 0, endMs: 1000, text: '' }]);
});
