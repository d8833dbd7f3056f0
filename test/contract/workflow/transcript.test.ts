import { expect, test } from 'vitest';
import { EncodeInput } from '../../../contract/workflow/encode.ts';

const film = { container: 'mp4', video: { codec: 'h264' }, uploadUrl: 's3://media/film-small.mp4' };
const transcript = { uploadUrlPrefix: 's3://media/film/' };

function issuesOf(output: object, rest: object = { transcript }): string[] {
  const parsed = EncodeInput.safeParse({
    sourceUrl: 's3://media/film.mp4',
    outputs: [{ ...film, ...output }],
    ...rest,
  });
  return (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test.each<[string, object]>([
  ['a track', { captions: true }],
  ['a described track', { captions: { language: 'eng', title: 'English', default: true } }],
  ['burnt captions', { captions: 'burn' }],
  ['a track beside burnt subtitles of the source', { captions: true, subtitles: 'burn' }],
  ['a preset that only containers know', { container: undefined, video: undefined, preset: 'own', captions: true }],
  ['burnt captions in a fragmented file', { captions: 'burn', fragmented: true }],
  ['an output beside the transcript', { captions: true, uploadUrl: 's3://media/film/film-small.mp4' }],
])('accepts %s', (_, output) => {
  expect(issuesOf(output)).toEqual([]);
});

test.each<[string, object, string]>([
  [
    'sound',
    { container: undefined, video: undefined, format: 'mp3_128', captions: true },
    'outputs.0.captions: needs pictures: request a video or a package',
  ],
  [
    'a preset of sound',
    { container: undefined, video: undefined, preset: 'podcast-aac', captions: true },
    'outputs.0.captions: needs pictures: request a video or a package',
  ],
  [
    'a preset without its pictures',
    { container: undefined, video: false, preset: 'web-h264-1080', captions: true },
    'outputs.0.captions: needs pictures: request a video or a package',
  ],
  [
    'a package of sound',
    {
      ...{ container: undefined, video: undefined, preset: 'hls-audio', captions: true },
      ...{ uploadUrl: undefined, uploadUrlPrefix: 's3://media/film/small/' },
    },
    'outputs.0.captions: needs pictures: request a video or a package',
  ],
  [
    'a 33rd added track',
    { captions: true, subtitles: { add: Array.from({ length: 32 }, () => ({ url: 's3://media/film.srt' })) } },
    'outputs.0.captions: would be track 33 beside the added subtitles, and the limit is 32: add fewer, or burn them in',
  ],
  [
    'two burnt tracks',
    { captions: 'burn', subtitles: { burn: 0 } },
    'outputs.0.captions: cannot be burnt in beside other subtitles: burn one of them',
  ],
  [
    'a track of a fragmented file',
    { captions: true, fragmented: true },
    'outputs.0.captions: cannot be a track of a fragmented file: burn them in',
  ],
  [
    'an output in the place of the transcript',
    { captions: true, uploadUrl: 's3://media/film/transcript.vtt' },
    'transcript.uploadUrlPrefix: would replace the file that outputs.0.uploadUrl names',
  ],
])('refuses captions of %s before anything is transcribed', (_, output, issue) => {
  expect(issuesOf(output)).toEqual([issue]);
});

const ofTrack = (track?: unknown, more: object = {}) => ({ ...film, track, captions: true, ...more });
const ofPackage = (...audio: object[]) => ({ package: ['hls'], video: film.video, audio, captions: true });

test.each<[string, object[], string | undefined]>([
  ['one track', [ofTrack('eng'), ofTrack('eng', { captions: 'burn' })], undefined],
  ['a track, beside an output without captions', [ofTrack('eng'), ofTrack('deu', { captions: undefined })], undefined],
  ['a track, beside an output without sound', [ofTrack('eng'), ofTrack(undefined, { audio: false })], undefined],
  ['a track that is the first of a package', [ofTrack(1), ofPackage({ track: 1 }, { track: 0 })], undefined],
  ['two names of one track', [ofTrack('deu'), ofTrack('ger'), ofTrack('de')], undefined],
  ['two tracks', [ofTrack('eng'), ofTrack('deu')], 'eng, deu'],
  ['a track beside the default', [ofTrack(), ofTrack(1)], 'the first, 1'],
  ['a track that a package has as its second', [ofPackage({ track: 1 }, { track: 0 }), ofTrack(0)], '1, 0'],
])('captions of %s are accepted only if one transcript fits all outputs', (_, outputs, several) => {
  const placed = outputs.map((output, index) => {
    const place = `s3://media/small/${index}`;
    return 'package' in output ? { ...output, uploadUrlPrefix: `${place}/` } : { ...output, uploadUrl: `${place}.mp4` };
  });
  const issue = `transcript: is of one audio track, but outputs with captions have several (${several}): start a run for each`;
  expect(issuesOf({}, { transcript, outputs: placed })).toEqual(several === undefined ? [] : [issue]);
});

test('captions and their transcript need each other', () => {
  expect(issuesOf({ captions: true }, {})).toEqual([
    'outputs.0.captions: needs "transcript" in the input, which says where the transcript goes',
  ]);
  expect(issuesOf({})).toEqual([
    'transcript: is for captions: give an output "captions", or start `processing` for the transcript alone',
  ]);
});
