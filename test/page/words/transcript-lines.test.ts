import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TranscriptRequest } from '../../../contract/server/transcript.ts';
import type { Transcript } from '../../../contract/transcript/transcript.ts';
import { matchWords } from '../../../page/words/match-words.ts';
import { correctLine, linesOfTranscript, transcriptOfLines } from '../../../page/words/transcript-lines.ts';
import { wordByKey } from '../../../page/words/word-by-key.ts';
import { findWords, indexWords, wordAt } from '../../../page/words/word-index.ts';

/** A segment of words of 0.5 s each, with pauses of 0.5 s. */
function segment(id: number, start: number, text: string, more: object = {}): Transcript['segments'][number] {
  const words = text.split(' ').map((word, index) => ({
    ...{ text: word, start: start + index, end: start + index + 0.5, confidence: 0.9, ...more },
  }));
  return { id, start, end: words.at(-1)?.end ?? start, text, chunk: 0, words, ...more };
}

function transcript(...segments: Transcript['segments']): Transcript {
  const text = segments.map(({ text: said }) => said).join(' ');
  return { text, language: 'en', segments, duration: 60, complete: true, missing: [] };
}

const harbour = transcript(
  segment(0, 0, 'The old harbour lies still.'),
  segment(1, 10, 'A boat comes in.', { speaker: 'S1' }),
);

function corrected(text: string) {
  const [line] = linesOfTranscript(harbour);
  return line === undefined
    ? []
    : correctLine(line, text).words.map(({ text: word, ...times }) => [word.trim(), times]);
}

test('lines that nobody has corrected yield the same transcript', () => {
  expect(transcriptOfLines(harbour, linesOfTranscript(harbour))).toEqual(harbour);
  const chunk = { index: 1, start: 30, end: 60 };
  const joined: Transcript = {
    ...harbour,
    joins: { words: 1, pause: 0, middle: 0 },
    withoutSpeech: [chunk],
    dropped: [{ start: 31, end: 32, text: 'Thank you for watching.' }],
  };
  expect(transcriptOfLines(joined, linesOfTranscript(joined))).toEqual(joined);
  const untimed = transcript({ id: 0, start: 1, end: 3, text: '港は静かです。', chunk: 0 });
  expect(transcriptOfLines(untimed, linesOfTranscript(untimed))).toEqual(untimed);
});

describe('a correction', () => {
  test('keeps the times and the confidence of unchanged words', () => {
    const kept = (start: number) => ({ start, end: start + 0.5, confidence: 0.9 });
    expect(corrected('The cold harbor lies still.')).toEqual([
      ['The', kept(0)],
      ['cold', { start: 1, end: expect.closeTo(1 + (1.5 * 5) / 12, 6) }],
      ['harbor', { start: expect.closeTo(1 + (1.5 * 5) / 12, 6), end: 2.5 }],
      ['lies', kept(3)],
      ['still.', kept(4)],
    ]);
  });

  test('puts added words into the pause, and removes words without a trace', () => {
    expect(corrected('The old harbour now lies').slice(2)).toEqual([
      ['harbour', { start: 2, end: 2.5, confidence: 0.9 }],
      ['now', { start: 2.5, end: 3 }],
      ['lies', { start: 3, end: 3.5, confidence: 0.9 }],
    ]);
    expect(corrected(' \n ')).toEqual([]);
  });

  test('makes one line of line breaks, and takes markup and emoji as words', () => {
    expect(corrected('The --> <b>old</b>\n\n🙂').map(([word]) => word)).toEqual(['The', '-->', '<b>old</b>', '🙂']);
  });

  test('has words in order and a valid transcript, whatever is typed', () => {
    const word = fc.constantFrom(
      'The',
      'old',
      'harbour',
      'lies',
      'still.',
      '-->',
      '👩‍👩‍👧',
      'x\u0000',
      '\ud800',
      '港は静かです',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const [line, other] = linesOfTranscript(harbour);
        if (line === undefined || other === undefined) throw new Error('no lines');
        const after = correctLine(line, words.join(' '));
        expect(after.words.map(({ text }) => text).join('')).toBe(words.join(' '));
        let least = 0;
        for (const { start, end } of after.words) {
          expect(start).toBeGreaterThanOrEqual(least - 1e-9);
          expect(end).toBeGreaterThanOrEqual(start);
          least = start;
        }
        const { text: _, ...request } = transcriptOfLines(harbour, [after, other]);
        expect(TranscriptRequest.parse(JSON.parse(JSON.stringify(request)))).toEqual(request);
      }),
    );
  });
});

test('leaves out lines without words', () => {
  const [line, other] = linesOfTranscript(harbour);
  if (line === undefined || other === undefined) throw new Error('no lines');
  const { text, segments } = transcriptOfLines(harbour, [correctLine(line, ''), { ...other, speaker: 'Anna' }]);
  expect(text).toBe('A boat comes in.');
  expect(segments).toMatchObject([{ id: 0, speaker: 'Anna', text: 'A boat comes in.' }]);
  expect(segments[0]?.words?.map((word) => word.speaker)).toEqual(['Anna', 'Anna', 'Anna', 'Anna']);
});

test('pairs the words of a longest common subsequence', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
  const longest = (one: string[], other: string[]): number => {
    const [head, ...rest] = one;
    if (head === undefined) return 0;
    const at = other.indexOf(head);
    return Math.max(longest(rest, other), at < 0 ? 0 : 1 + longest(rest, other.slice(at + 1)));
  };
  fc.assert(
    fc.property(letters, letters, (one, other) => {
      const pairs = matchWords(one, other);
      expect(pairs).toHaveLength(longest(one, other));
      let last = [-1, -1];
      for (const [first, second] of pairs) {
        expect(one[first]).toBe(other[second]);
        expect(first).toBeGreaterThan(last[0] ?? 0);
        expect(second).toBeGreaterThan(last[1] ?? 0);
        last = [first, second];
      }
    }),
  );
});

describe('the words of all lines', () => {
  const index = indexWords(linesOfTranscript(harbour));

  test.each([
    ['BOAT', [[6, 6]]],
    ['still. a  boat', [[4, 6]]],
    [
      'l',
      [
        [1, 1],
        [3, 3],
        [4, 4],
        [4, 4],
      ],
    ],
    ['  ', []],
    ['submarine', []],
  ])('have %j at the words %j', (query, hits) => {
    expect(findWords(index, query)).toEqual(hits);
  });

  test.each([
    [-1, -1],
    [0, 0],
    [1.9, 1],
    [9, 4],
    [10, 5],
    [99, 8],
  ])('finds at %d s the word %i', (seconds, word) => {
    expect(wordAt(index, seconds)).toBe(word);
  });
});

test.each([
  ['ArrowRight', 1, 2],
  ['ArrowRight', 3, 3],
  ['ArrowLeft', 2, 1],
  ['ArrowLeft', 0, 0],
  ['ArrowDown', 1, 2],
  ['ArrowUp', 3, 0],
  ['ArrowUp', 1, 0],
  ['Home', 3, 2],
  ['End', 0, 1],
  ['a', 0, undefined],
])('moves by %s from the word %i to %j, past a line without words', (key, from, to) => {
  const [line] = linesOfTranscript(transcript(segment(0, 0, 'Two words')));
  if (line === undefined) throw new Error('no line');
  expect(wordByKey(key, from, indexWords([line, correctLine(line, ''), line]))).toBe(to);
});
