import { expect, test } from 'vitest';
import { buildTranscript } from '../../../activities/transcript/transcript.ts';
import { CaptionStyle } from '../../../contract/captions.ts';
import { cueWordsOf, spokenSegments, spokenSegmentsOf, textOf } from '../../../contract/transcript/spoken.ts';
import { transcriptFiles } from '../../../contract/transcript/transcript-files.ts';

const word = (text: string, start: number) => ({ word: text, start, end: start + 0.25 });

test('a stored transcript yields the same files as the run that wrote it', () => {
  const { transcript, words } = buildTranscript([
    {
      index: 0,
      start: 0,
      duration: 30,
      segments: [
        { start: 0, end: 2, text: 'The “old” harbour --> lies still, they say.' },
        { start: 2.5, end: 5, text: '港は静かです。' },
        { start: 6, end: 9, text: 'The end' },
      ],
      words: [
        ...['The', '“old”', 'harbour', 'lies', 'still', 'they', 'say'].map((text, index) => word(text, index / 4)),
        ...['港は', '静か', 'です'].map((text, index) => word(text, 2.5 + index / 4)),
      ],
    },
  ]);
  const stored = JSON.parse(JSON.stringify(transcript)) as typeof transcript;
  const read = spokenSegmentsOf(stored).flatMap(cueWordsOf);
  const style = CaptionStyle.parse({});
  expect(transcriptFiles(stored, read, style)).toEqual(transcriptFiles(transcript, words, style));
});

test('finds words behind a Turkish İ, which has two characters in lower case', () => {
  const text = 'İyi akşamlar, İstanbul.';
  const words = [word('İyi', 0), word('akşamlar', 1), word('istanbul', 2)];
  const [segment] = spokenSegments([{ start: 0, end: 3, text }], words);
  expect(segment?.words.map(({ text: said }) => said)).toEqual(['İyi ', 'akşamlar, ', 'İstanbul.']);
});

const placed = (texts: readonly string[], from = 0) => texts.map((text, index) => word(text, from + index / 2));
const rose = ['The', 'price', 'rose', 'to', '10', 'euros', 'in', 'a', 'year'];
const extraordinary = ['An', 'extraordinarily', 'good', 'year', 'for', 'it'];

test.each([
  ['has a narrow space', 'The price rose to 10\u202F000 euros in a year.', rose.with(4, '10\u202F000'), 9],
  ['has a broken character', 'The price rose to € euros in a year.', rose.with(4, '\uFFFD'), 8],
  ['is written otherwise', 'The price rose to ten thousand dollars in a year.', rose.with(4, '10,000').with(5, '$'), 7],
  ['is not in the text', 'The price rose to euros in a year.', rose.with(4, 'uh'), 8],
  ['has no time', 'An extraordinarily good year for it.', extraordinary.toSpliced(1, 1), 5],
  ['has no time at the end', 'Good it is, extraordinarily.', ['Good', 'it', 'is'], 3],
])('keeps the times of the words after a word that %s', (_, text, said, found) => {
  const next = placed(['Nobody', 'expected', 'a', 'year', 'like', 'that'], 12);
  const segments = [
    { start: 0, end: 6, text },
    { start: 6, end: 20, text: 'Nobody expected a year like that.' },
  ];
  const spoken = spokenSegments(segments, [...placed(said), ...next]);
  expect(spoken.map(({ words }) => words.length)).toEqual([found, next.length]);
  expect(spoken.map(({ words }) => textOf(words))).toEqual(
    segments.map((segment) => segment.text.replace('\u202F', ' ')),
  );
  expect(spoken[0]?.words.at(-1)?.start).toBe(said.length / 2 - 0.5);
  expect(spoken[1]?.words.map(({ start }) => start)).toEqual(next.map(({ start }) => start));
});

test('keeps the time of a word that begins before the end of the previous segment', () => {
  const segments = [
    { start: 0, end: 2, text: 'I think they said.' },
    { start: 1.5, end: 4, text: 'They saw a boat.' },
  ];
  const words = [...placed(['I', 'think', 'they']), ...placed(['They', 'saw', 'a', 'boat'], 1.5)];
  const spoken = spokenSegments(segments, words);
  expect(spoken.map(({ words: { length } }) => length)).toEqual([3, 4]);
});

test('leaves room for the name of the speaker in the lines of captions', () => {
  const text = 'The old harbour lies still, and nobody has heard of the boats that came in.';
  const segments = [{ start: 0, end: 9, text }];
  const { transcript, words } = buildTranscript([{ index: 0, start: 0, duration: 9, segments }]);
  const named = words.map((each) => ({ ...each, speaker: 'Dr. Anna Berg' }));
  const { files } = transcriptFiles(transcript, named, CaptionStyle.parse({ lineLength: 30 }));
  const srt = files.find(({ kind }) => kind === 'srt')?.text ?? '';
  const lines = srt.split('\n').filter((line) => /[a-z]/.test(line));
  expect(lines[0]).toMatch(/^Dr\. Anna Berg: The/);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(30);
});
