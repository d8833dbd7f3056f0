import { expect, test } from 'vitest';
import { buildTranscript } from '../../../activities/transcript/transcript.ts';

const segment = (start: number, end: number, text: string) => ({ start, end, text });

test('puts segments on the source’s clock and takes those in an overlap from the chunk nearer to their middle', () => {
  // The chunks 0–60 and 58–118 overlap in 58–60, whose middle is 59.
  const { transcript } = buildTranscript([
    {
      index: 0,
      start: 0,
      duration: 60,
      segments: [segment(0, 5, ' one'), segment(57, 58.9, 'two'), segment(58.9, 60, 'three')],
    },
    {
      index: 1,
      start: 58,
      duration: 60,
      segments: [segment(0, 0.9, 'two again'), segment(0.9, 2, 'three'), segment(2, 4.5, 'four')],
    },
  ]);
  expect(transcript.segments).toEqual([
    { id: 0, start: 0, end: 5, text: 'one', chunk: 0 },
    { id: 1, start: 57, end: 58.9, text: 'two', chunk: 0 },
    { id: 2, start: 58.9, end: 60, text: 'three', chunk: 1 },
    { id: 3, start: 60, end: 62.5, text: 'four', chunk: 1 },
  ]);
  expect(transcript.text).toBe('one two three four');
  expect(transcript).toMatchObject({ duration: 118, complete: true, missing: [] });
});

test.each([
  ['just before the border', 58.4, 59.4, 0],
  ['on the border', 58.5, 59.5, 1],
  ['just after the border', 58.6, 59.6, 1],
])('keeps a segment that is in both chunks of an overlap, %s, once', (_, start, end, chunk) => {
  const { transcript } = buildTranscript([
    { index: 0, start: 0, duration: 60, segments: [segment(start, end, 'both')] },
    { index: 1, start: 58, duration: 60, segments: [segment(start - 58, end - 58, 'both')] },
  ]);
  expect(transcript.segments).toEqual([{ id: 0, start, end, text: 'both', chunk }]);
});

test('keeps all segments of chunks without overlap', () => {
  const { transcript } = buildTranscript([
    { index: 0, start: 0, duration: 10, segments: [segment(9, 10, 'a')] },
    { index: 1, start: 10, duration: 10, segments: [segment(0, 1, 'b')] },
  ]);
  expect(transcript.text).toBe('a b');
});

test('keeps the whole overlap next to a failed chunk and lists the gap as missing', () => {
  const { transcript } = buildTranscript([
    { index: 0, start: 0, duration: 60, segments: [segment(59, 60, 'last words')] },
    { index: 1, start: 58, duration: 60, segments: undefined, error: 'timeout' },
    { index: 2, start: 116, duration: 10, segments: [segment(0, 1, 'first words')] },
  ]);
  expect(transcript.text).toBe('last words first words');
  expect(transcript.complete).toBe(false);
  expect(transcript.missing).toEqual([{ index: 1, start: 58, end: 118, error: 'timeout' }]);
});

test('reports the joins, the chunks without speech and the text that the model invented, on the source’s clock', () => {
  const speech = { windows: [{ start: 0, end: 60 }], dropped: [{ start: 20, end: 21.5, text: 'Thank you.' }] };
  const { transcript } = buildTranscript([
    { index: 0, start: 0, duration: 60, segments: [segment(57, 60, 'we choose to go')], speech },
    { index: 1, start: 58, duration: 60, segments: [], speech: { windows: [], dropped: [] } },
    { index: 2, start: 116, duration: 60, segments: [segment(1, 5, 'to the moon')], speech },
    { index: 3, start: 174, duration: 10, segments: [segment(0, 5, 'provider without a report')] },
  ]);
  expect(transcript.withoutSpeech).toEqual([{ index: 1, start: 58, end: 118 }]);
  expect(transcript.dropped).toEqual([
    { start: 20, end: 21.5, text: 'Thank you.' },
    { start: 136, end: 137.5, text: 'Thank you.' },
  ]);
  // A chunk without words is joined to no other.
  expect(transcript.joins).toEqual({ words: 0, pause: 1, middle: 0 });
});

test('keeps each segment once if the neighbours of a failed chunk overlap', () => {
  // Of the chunks 0–60, 20–80 and 40–100, the first and last share 40–60, whose middle is 50.
  const both = [segment(45, 47, 'early'), segment(53, 55, 'late')];
  const { transcript } = buildTranscript([
    { index: 0, start: 0, duration: 60, segments: both },
    { index: 1, start: 20, duration: 60, segments: undefined, error: 'timeout' },
    {
      index: 2,
      start: 40,
      duration: 60,
      segments: both.map((each) => segment(each.start - 40, each.end - 40, each.text)),
    },
  ]);
  expect(transcript.segments.map(({ text, chunk }) => [text, chunk])).toEqual([
    ['early', 0],
    ['late', 2],
  ]);
});

const words = (...all: [string, number, number][]) =>
  all.map(([word, start, end]) => ({ word, start, end, confidence: 0.9 }));

test('puts the words of a provider with their confidence into their segments', () => {
  const { transcript } = buildTranscript([
    {
      index: 0,
      start: 10,
      duration: 5,
      segments: [segment(0, 1, ' “Well, yes,” she'), segment(1, 2, ' said.')],
      words: words(['Well', 0, 0.3], ['yes', 0.3, 0.6], ['she', 0.7, 1], ['said', 1, 2]),
      language: 'english',
    },
  ]);
  expect(transcript.language).toBe('en');
  expect(transcript.segments.map(({ words: own }) => own)).toEqual([
    [
      { text: '“Well,', start: 10, end: 10.3, confidence: 0.9 },
      { text: 'yes,”', start: 10.3, end: 10.6, confidence: 0.9 },
      { text: 'she', start: 10.7, end: 11, confidence: 0.9 },
    ],
    [{ text: 'said.', start: 11, end: 12, confidence: 0.9 }],
  ]);
  expect(transcript.text).toBe('“Well, yes,” she said.');
});

test('estimates the times of words that a provider does not report, and lists none', () => {
  const { transcript, words: all } = buildTranscript([
    { index: 0, start: 0, duration: 60, segments: [segment(0, 1, 'ab cd\n\nefgh')] },
  ]);
  expect(all.map(({ text, start }) => [text, Number(start.toFixed(2))])).toEqual([
    ['ab ', 0],
    ['cd ', 0.3],
    ['efgh ', 0.6],
  ]);
  expect(transcript.segments).toEqual([{ id: 0, start: 0, end: 1, text: 'ab cd efgh', chunk: 0 }]);
});

test('splits a text without spaces into words', () => {
  const text = '今日はとても良い天気ですね、散歩に行きましょう。明日もきっと晴れるでしょう。';
  const { words: all } = buildTranscript([{ index: 0, start: 0, duration: 60, segments: [segment(0, 9, text)] }]);
  expect(all.length).toBeGreaterThan(8);
  expect(
    all
      .map((word) => word.text)
      .join('')
      .trim(),
  ).toBe(text);
});
