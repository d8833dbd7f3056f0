import { expect, test } from 'vitest';
import { toSrt, toVtt } from '../../../contract/transcript/subtitles.ts';

const cues = [
  { start: 0, end: 1.5, lines: ['Tom & <b>Jerry</b>'] },
  { start: 3661.0004, end: 3661.001, lines: ['two', 'lines --> one'] },
];

test('writes WebVTT with a header, hours, points and escapes', () => {
  expect(toVtt(cues)).toBe(
    'WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.500\nTom &amp; &lt;b&gt;Jerry&lt;/b&gt;\n\n' +
      '2\n01:01:01.000 --> 01:01:01.001\ntwo\nlines --&gt; one\n',
  );
});

test('writes SubRip with numbers and commas', () => {
  expect(toSrt(cues)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nTom & <b>Jerry</b>\n\n2\n01:01:01,000 --> 01:01:01,001\ntwo\nlines → one\n',
  );
});

const turns = [
  { start: 0, end: 1, lines: ['Is it on?'], speaker: 'S1' },
  { start: 1, end: 2, lines: ['It is.'], speaker: 'S2' },
  { start: 2, end: 3, lines: ['Then', 'we start.'], speaker: 'S2' },
];

test('names the speaker of each cue in WebVTT, and each new speaker in SubRip', () => {
  const texts = (file: string) => file.split('\n\n').map((cue) => cue.trim().split('\n').slice(2).join('\n'));
  expect(texts(toVtt(turns)).slice(1)).toEqual(['<v S1>Is it on?', '<v S2>It is.', '<v S2>Then\nwe start.']);
  expect(texts(toSrt(turns))).toEqual(['S1: Is it on?', 'S2: It is.', 'Then\nwe start.']);
});

test('writes an empty file of the format for a transcript without speech', () => {
  expect(toVtt([])).toBe('WEBVTT\n');
  expect(toSrt([])).toBe('');
});
