import { expect, test } from 'vitest';
import { commandOf } from '../../../page/words/commands.ts';

const transcript = { uploadUrlPrefix: 's3://media/film.transcript/' };
const film = { preset: 'web-h264-720', uploadUrl: 's3://media/film.mp4' };
const command = (input: object): string | undefined =>
  commandOf(
    'cli',
    { workflow: 'encode', input: { sourceUrl: 's3://media/film.mov', ...input } },
    { origin: 'http://here', hasTokens: false },
  );

test.each([
  [true, {}, '--captions'],
  [{}, {}, '--captions'],
  ['burn', {}, '--captions burn'],
  [{ language: 'eng' }, {}, '--captions --caption-language eng'],
  [true, { provider: 'local/tiny.en' }, '--captions --provider local/tiny.en'],
  [
    true,
    { provider: ['openai/whisper-1', 'local/base'] },
    '--captions --provider openai/whisper-1 --provider local/base',
  ],
])('the command of a run with captions %j and a transcript %j has these options', (captions, more, options) => {
  const outputs = [
    { ...film, captions },
    { format: 'mp3_128', uploadUrl: 's3://media/film.mp3' },
  ];
  expect(command({ outputs, transcript: { ...transcript, ...more } })).toBe(
    `npx holdfast encode s3://media/film.mov --preset web-h264-720 --format mp3_128 ${options}`,
  );
});

test.each([
  [[{ ...film, captions: { title: 'English' } }], {}],
  [
    [
      { ...film, captions: true },
      { ...film, captions: 'burn' },
    ],
    {},
  ],
  [[{ ...film, captions: true }, film], {}],
  [[{ ...film, captions: true }], { chunkDuration: 30 }],
])('captions that the options cannot describe have no command: %j, %j', (outputs, more) => {
  expect(command({ outputs, transcript: { ...transcript, ...more } })).toBeUndefined();
});

test('the command of a run has its trim and tags, and the pictures that the page shows', () => {
  const trim = { start: 5, end: 60.5 };
  const metadata = { title: "Anna's talk", artist: 'Anna', show: 'Talks' };
  const outputs = [
    { preset: 'podcast-mp3-stereo', uploadUrl: 'result:film.mp3', trim, metadata },
    { analysis: 'peaks', zoom: 256, uploadUrl: 'result:film.peaks.json', trim },
    { image: 'spectrogram', width: 1800, height: 400, uploadUrl: 'result:film.spectrogram.png', trim },
  ];
  expect(command({ outputs })).toBe(
    'npx holdfast encode s3://media/film.mov --preset podcast-mp3-stereo --analysis peaks --image spectrogram ' +
      String.raw`--trim-start 5 --trim-end 60.5 --title 'Anna'\''s talk' --artist Anna --metadata 'show=Talks'`,
  );
});

test.each([
  ['other settings', [{ ...film, chapters: 'none' }]],
  ['different trims', [{ ...film, trim: { start: 5 } }, film]],
  ['different tags', [{ ...film, metadata: { title: 'A' } }, film]],
])('outputs with %s have no command, because its options would say something else', (_, outputs) => {
  expect(command({ outputs })).toBeUndefined();
});

test('the command of a run has its owner', () => {
  expect(command({ outputs: [film], owner: 'anna', sourceName: 'film.mov' })).toBe(
    'npx holdfast encode s3://media/film.mov --preset web-h264-720 --owner anna',
  );
});

test.each([{ spread: 'auto' }, { parallel: false }, { priority: 1 }, { retry: { maxTime: 60 } }])(
  'a run with %j has no command, because its options would leave that out',
  (more) => {
    expect(command({ outputs: [film], ...more })).toBeUndefined();
  },
);
