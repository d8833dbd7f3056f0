import { expect, test } from 'vitest';
import { buildTranscript } from '../../../activities/transcript/transcript.ts';
import { CaptionStyle } from '../../../contract/captions.ts';
import { cueWordsOf, spokenSegments, spokenSegmentsOf } from '../../../contract/transcript/spoken.ts';
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
