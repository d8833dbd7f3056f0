import { expect, test } from 'vitest';
import { describeFilmCaptions, needsTranscriber } from '../../../cli/media/film-captions.ts';

test('options become the field of an output and the settings of the transcript', () => {
  expect(describeFilmCaptions({})).toBeUndefined();
  expect(describeFilmCaptions({ captions: 'track' })).toEqual({ field: true, transcript: {} });
  expect(describeFilmCaptions({ captions: 'burn', captionLines: 1, provider: ['openai/whisper-1'] })).toEqual({
    field: 'burn',
    transcript: { captions: { lines: 1 }, provider: ['openai/whisper-1'] },
  });
  expect(describeFilmCaptions({ captions: 'track', captionLanguage: 'eng' })?.field).toEqual({ language: 'eng' });
});

test.each([
  [{ captionLanguage: 'eng' }, '--caption-language needs --captions.'],
  [{ provider: ['openai/whisper-1'] }, '--provider needs --captions.'],
  [{ captionLines: 1 }, 'The layout of captions needs --captions.'],
  [
    { captions: 'burn', captionLanguage: 'eng' },
    '--caption-language is the language of a track. Burnt captions have none.',
  ],
  [{ captions: 'track', provider: ['none'] }, '--captions needs a provider other than none.'],
] as const)('%j is refused', (typed, message) => {
  expect(() => describeFilmCaptions(structuredClone(typed) as Parameters<typeof describeFilmCaptions>[0])).toThrow(
    message,
  );
});

test('a transcriber is needed on this machine unless other providers transcribe', () => {
  expect(needsTranscriber({ field: true, transcript: {} })).toBe(true);
  expect(needsTranscriber({ field: true, transcript: { provider: ['openai/whisper-1'] } })).toBe(false);
});
