import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinChunks, type SpokenChunk } from '../../../activities/transcript/join-chunks.ts';

interface Said {
  text: string;
  /** Seconds on the source's clock. */
  at: number;
}

/** One segment of words of 0.3 s each, as an engine hears them. */
function chunk(start: number, end: number, heard: readonly Said[], hasWordTimes = true): SpokenChunk {
  const words = heard.map(({ text, at }) => ({ text: `${text} `, start: at, end: Number((at + 0.3).toFixed(3)) }));
  const [first, last] = [words[0], words.at(-1)];
  const segments = first === undefined || last === undefined ? [] : [{ start: first.start, end: last.end, words }];
  return { start, end, segments, hasWordTimes };
}

/** "the@58.2 quick@58.6" */
function said(text: string): Said[] {
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => ({ text: part.slice(0, part.indexOf('@')), at: Number(part.slice(part.indexOf('@') + 1)) }));
}

/** Words without a pause between them, from a second on. */
function steady(words: string, from: number): string {
  return words.split(' ').map((word, index) => `${word}@${Number((from + index * 0.3).toFixed(1))}`).join(' '); // prettier-ignore
}

function textOf(chunks: readonly SpokenChunk[]): string {
  return joinChunks(chunks)
    .chunks.flat()
    .flatMap(({ words }) => words)
    .map(({ text }) => text)
    .join('')
    .trim();
}

test.each([
  [
    'the same words in both',
    'so@57 the@58.2 quick@58.6 fox@59.2',
    'the@58.2 quick@58.6 fox@59.2 ran@60.4',
    'so the quick fox ran',
  ],
  ['a word that the end cuts off', 'the@58.2 quick@58.6 fo@59.7', 'quick@58.6 fox@59.6 ran@60.4', 'the quick fox ran'],
  [
    'a word that the beginning cuts off',
    'the@58 quick@58.6 fox@59.2',
    'ick@58.7 fox@59.2 ran@60.4',
    'the quick fox ran',
  ],
  [
    'capitals and punctuation of an edge',
    'the@58.2 quick@58.6 fox.@59.4',
    'Quick@58.6 fox@59.4 ran@60.4',
    'the quick fox ran',
  ],
  [
    'times that differ by half a second',
    'the@58.2 quick@58.6 fox@59.2',
    'the@58.7 quick@59.1 fox@59.7 ran@60.4',
    'the quick fox ran',
  ],
  ['a word invented after the end', 'quick@58.6 fox@59.2 thanks@59.9', 'quick@58.6 fox@59.2 ran@60.1', 'quick fox ran'],
  [
    'a word that is said twice',
    'a@58.1 very@58.5 very@58.9 big@59.3',
    'very@58.5 very@58.9 big@59.3 dog@60.2',
    'a very very big dog',
  ],
  ['no word that both heard', 'one@57 two@58.3', 'three@59.3 four@60.5', 'one two three four'],
  [
    'no word that both heard, at overlapping times',
    'one@57 two@58.2 tree@59.5',
    'too@58.3 three@59.4 four@60.5',
    'one two three four',
  ],
  ['silence on the left', 'one@50', 'three@59.3 four@60.5', 'one three four'],
  ['silence on the right', 'one@50 two@58.3', 'four@62', 'one two four'],
  ['words that only the right heard', 'one@50', steady('a b c d e f g h', 58), 'one a b c d e f g h'],
  ['words that only the left heard', steady('a b c d e f g h', 57.6), 'four@62', 'a b c d e f g h four'],
  ['no word at all on the left', '', steady('a b c d e f g h', 58), 'a b c d e f g h'],
  ['no word at all on the right', steady('a b c d e f g h', 57.6), '', 'a b c d e f g h'],
])('joins the overlap of 58 to 60 s with %s', (_, left, right, joined) => {
  expect(textOf([chunk(0, 60, said(left)), chunk(58, 118, said(right))])).toBe(joined);
});

test('repeats a word that is far from its twin', () => {
  expect(textOf([chunk(0, 60, said('no@56 no@58.1')), chunk(58, 118, said('no@58.1 no@60.5'))])).toBe('no no no');
});

test('keeps all words of chunks without an overlap', () => {
  expect(textOf([chunk(0, 10, said('go@9.5')), chunk(10.1, 20, said('go@10.2'))])).toBe('go go');
});

// Copied chunks end with a whole packet, and each end may be off by the tolerance of cuts.
test.each([60.017, 60.1])('keeps all words of adjacent chunks if the first is measured as %d s', (end) => {
  const [left, right] = [said('the@58.8 big@59.2 old@59.6'), said('dog@60 was@60.3 old@60.4 too@60.8')];
  for (const hasWordTimes of [true, false]) {
    const chunks = [chunk(0, end, left, hasWordTimes), chunk(60, 120, right, hasWordTimes)];
    expect(textOf(chunks)).toBe('the big old dog was old too');
    expect(joinChunks(chunks).joins).toEqual({ words: 0, pause: 0, middle: 0 });
  }
});

test('repeats no word across a chunk in which nothing was heard', () => {
  const words = said('one@41 two@45 three@50 four@55');
  const joined = [chunk(0, 60, words), chunk(20, 80, []), chunk(40, 100, [...words, ...said('five@70')])];
  expect(textOf(joined)).toBe('one two three four five');
});

test('joins by text if the times of words are estimated', () => {
  const left = said('we@50 choose@52 to@54 go@56 to@57 the@58 moon@59');
  const right = said('go@58 to@58.3 the@58.6 moon@59 in@61 this@62 decade@63');
  expect(textOf([chunk(0, 60, left, false), chunk(58, 118, right, false)])).toBe(
    'we choose to go to the moon in this decade',
  );
});

test('joins at the longest pause of the overlap if no word is the same in both, and else in its middle', () => {
  const right = chunk(58, 118, said('won@58 sea@58.4 ran@58.8 off@60.4'));
  const paused = [chunk(0, 60, said('one@58 two@58.4 three@58.8')), right];
  expect(textOf(paused)).toBe('one two three off');
  expect(joinChunks(paused).joins).toEqual({ words: 0, pause: 1, middle: 0 });
  const unbroken = [chunk(0, 60, said(steady('a b c d e f g', 58))), chunk(58, 118, said(steady('h i j k l m n', 58)))];
  expect(textOf(unbroken)).toBe('a b c k l m n');
  expect(joinChunks(unbroken).joins).toEqual({ words: 0, pause: 0, middle: 1 });
});

test('cuts a segment at the join and moves its times to its remaining words', () => {
  const { chunks: joined } = joinChunks([
    chunk(0, 60, said('the@58.2 quick@58.6 fox@59.2')),
    chunk(58, 118, said('the@58.2 quick@58.6 fox@59.2 ran@60.4')),
  ]);
  expect(joined.map((segments) => segments.map(({ start, end, words }) => [start, end, words.length]))).toEqual([
    [[58.2, 58.9, 2]],
    [[59.2, 60.7, 2]],
  ]);
});

// Distinct words at steady times, heard whole by each chunk, must come out as they were said.
test('loses and repeats no word, whatever the lengths of chunks and overlaps', () => {
  const lengths = fc.record({
    count: fc.integer({ min: 1, max: 200 }),
    chunk: fc.integer({ min: 5, max: 60 }),
    overlap: fc.integer({ min: 0, max: 4 }),
    shift: fc.double({ min: -0.4, max: 0.4, noNaN: true }),
  });
  fc.assert(
    fc.property(lengths, ({ count, chunk: length, overlap, shift }) => {
      const all = Array.from({ length: count }, (_, index) => ({ text: `w${index}`, at: index * 0.4 }));
      const end = count * 0.4;
      const chunks: SpokenChunk[] = [];
      for (let start = 0; start < end; start += length - overlap) {
        const to = Math.min(end, start + length);
        const heard = all.filter(({ at }) => at >= start - 0.2 && at < to - 0.2);
        // Each engine is off by a little.
        const isOdd = chunks.length % 2 === 1;
        chunks.push(
          chunk(
            start,
            to,
            heard.map(({ text, at }) => ({ text, at: at + (isOdd ? shift : 0) })),
          ),
        );
        if (to === end) break;
      }
      expect(textOf(chunks)).toBe(all.map(({ text }) => text).join(' '));
    }),
    { numRuns: 300 },
  );
});

test('aligns the two thousand words of each side that are nearest to the middle of the overlap', () => {
  const joinsIf = (isSame: (index: number) => boolean) => {
    const heard = (side: string): Said[] =>
      Array.from({ length: 5000 }, (_, index) => ({
        text: `${isSame(index) ? '' : side}${index}`,
        at: 58 + index / 2500,
      }));
    return joinChunks([chunk(0, 60, heard('left')), chunk(58, 118, heard('right'))]).joins;
  };
  expect(joinsIf((index) => index > 2000 && index < 2500)).toMatchObject({ words: 1 });
  // Time and memory grow with the square of the words.
  expect(joinsIf((index) => index < 1000)).toMatchObject({ words: 0 });
});
