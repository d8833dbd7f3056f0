import { expect, test } from 'vitest';
import { RequestedOutput } from '../../contract/http/output.ts';
import { builtInPresets } from '../../contract/presets.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';
import { settlePackage } from '../support/settled-outputs.ts';
import { EncodeInput } from '../../contract/workflow/encode.ts';

test.each<[object, string]>([
  [{ package: [] }, 'Too small'],
  [{ package: ['hls', 'hls'] }, 'names one of them twice'],
  [{ package: ['smooth'] }, 'expected one of "hls"|"dash"'],
  [{ package: ['hls'], format: 'mp3_128' }, 'does not apply to a package'],
  [{ package: ['hls'], container: 'mp4' }, 'does not apply to a package'],
  [{ package: ['hls'], renditions: [{ crf: 20 }] }, 'needs a width or a height'],
  [{ package: ['hls'], renditions: [] }, 'renditions'],
  [{ package: ['hls'], audio: [{ name: 'a,b=c' }] }, 'must be of letters, digits and spaces'],
  [{ package: ['hls'], audio: [{ language: 'english!' }] }, 'must be a language'],
  [{ package: ['hls'], audio: [] }, 'audio'],
  [{ format: 'mp3_128', segmentSeconds: 6 }, 'is for packages'],
  [{ format: 'mp3_128', perTitle: true }, 'is for packages'],
  [{ container: 'mp4', audio: [{ codec: 'aac' }] }, 'may be a list only for packages'],
])('refuses the package %j with the reason', (output, sentence) => {
  const parsed = RequestedOutput.safeParse({ ...output, deliver: 'on_demand' });
  expect(JSON.stringify(parsed.error?.issues ?? 'taken')).toContain(sentence.replaceAll('"', String.raw`\"`));
});

test.each(['Deutsch (Original)', 'हिन्दी', 'தமிழ்', 'ไทย', 'עִבְרִית'])('accepts %s as the name of a track', (name) => {
  const output = { package: ['hls'], audio: [{ name }], deliver: 'on_demand' };
  expect(RequestedOutput.safeParse(output).success).toBe(true);
});

test.each([{ package: ['hls'] }, { preset: 'hls-h264' }])(
  'the package %j needs a prefix, not the URL of one file',
  (output) => {
    const parsed = RequestedOutput.safeParse({ ...output, uploadUrl: 'https://media.test/film' });
    expect(parsed.error?.issues[0]?.message).toContain('this output has several');
    const input = (place: object) =>
      EncodeInput.safeParse({ sourceUrl: 's3://media/film.mov', outputs: [{ ...output, ...place }] });
    expect(input({ uploadUrlPrefix: 's3://media/film/' }).success).toBe(true);
    expect(input({ uploadUrl: 's3://media/film' }).error?.issues[0]?.message).toContain('use uploadUrlPrefix');
    expect(input({}).error?.issues[0]?.path).toEqual(['outputs', 0, 'uploadUrlPrefix']);
  },
);

test('an output of one file needs a URL, not a prefix', () => {
  const outputs = [{ format: 'mp3_128', uploadUrlPrefix: 's3://media/talk/' }];
  const parsed = EncodeInput.safeParse({ sourceUrl: 's3://media/talk.wav', outputs });
  expect(parsed.error?.issues[0]?.message).toContain('this output is one file: use uploadUrl');
});

test.each([{ uploadUrlPrefix: 's3://media/film/' }, { uploadUrl: 's3://media/film' }])(
  'only the container knows whether a preset of PRESETS_FILE has several files: accepts %j',
  (place) => {
    const parse = (output: object) =>
      EncodeInput.safeParse({ sourceUrl: 's3://media/film.mov', outputs: [{ preset: 'house-hls', ...output }] });
    expect(parse(place).error).toBeUndefined();
    const both = parse({ uploadUrlPrefix: 's3://media/film/', uploadUrl: 's3://media/other' });
    expect(both.error?.issues[0]?.message).toContain('give either uploadUrl or uploadUrlPrefix');
    expect(parse({}).error?.issues[0]?.path).toEqual(['outputs', 0, 'uploadUrl']);
  },
);

test.each([
  [{ preset: 'hls-h264', silence: { trimStart: true } }, 'silence is not for packages'],
  [{ preset: 'hls-h264', trim: { start: 1 }, thumbnails: true }, 'thumbnails show the whole film'],
  [{ preset: 'hls-h264', metadata: { title: 'A film' } }, 'metadata is not for packages'],
  [{ preset: 'hls-h264', channels: 1 }, 'channels is not for packages'],
  [{ preset: 'web-h264-720', renditions: 'auto' as const }, 'renditions is only for packages'],
  [{ preset: 'web-h264-720', perTitle: true }, 'perTitle is only for packages'],
  [{ preset: 'web-h264-720', audio: [{ bitrate: 320 }] }, 'audio may be a list only for packages'],
  [{ preset: 'hls-h264', perTitle: true, renditions: [{ height: 360 }] }, 'perTitle chooses the renditions'],
  [{ preset: 'hls-audio', perTitle: true }, 'perTitle needs pictures, and it has none'],
  [{ preset: 'hls-h264', video: { bitrate: 500 } }, 'have no average bitrate'],
  [{ preset: 'hls-h264', video: { keyframeInterval: 1 } }, 'key frames follow segmentSeconds'],
  [{ preset: 'hls-h264', video: { codec: 'vp9' } }, 'h264, hevc, av1 pictures, not vp9'],
  [{ preset: 'hls-h264', video: false as const, audio: false as const }, 'neither sound nor pictures'],
  [{ preset: 'hls-h264', quality: true }, 'quality is not for packages'],
  [{ package: ['hls' as const], target: { vmaf: 95 } }, 'target is not for packages'],
])('refuses the package %j, which cannot be made', (request, sentence) => {
  expect(() => resolveOutput(request, builtInPresets)).toThrow(sentence);
});

test('lets fields of a request override those of its preset', () => {
  const packaged = settlePackage({
    preset: 'hls-h264',
    segmentSeconds: 5,
    video: { crf: 25 },
    renditions: [{ height: 360, maxBitrate: 400 }],
  });
  const { video, needsAudio } = packaged.common;
  expect(video).toMatchObject({ codec: 'h264', crf: 25 });
  expect(video?.keyframeSeconds).toBeCloseTo(5 / 3, 9);
  expect(packaged).toMatchObject({ kinds: ['hls', 'dash'], segmentSeconds: 5, layout: 'files' });
  expect(packaged.renditions?.map((rendition) => rendition.video)).toMatchObject([
    { height: 360, maxBitrate: 400, crf: 25, keyframeSeconds: video?.keyframeSeconds },
  ]);
  expect(packaged.tracks.map(({ output }) => output.audio)).toMatchObject([{ codec: 'aac', bitrate: 128 }]);
  // A film without sound stays without it.
  expect(needsAudio).toBe(false);
  expect(settlePackage({ package: ['hls'], audio: [{}] }).common.needsAudio).toBe(true);
});

test('a track without loss is taken without a bitrate, and any other has one', () => {
  const audio = [{ codec: 'alac' }, { codec: 'aac' }];
  const { tracks } = settlePackage({ package: ['hls'], audio });
  expect(tracks.map(({ output }) => output.audio?.bitrate)).toEqual([undefined, 128]);
});

test('the default bitrate of a track is one that its sample rate and channels allow', () => {
  const audio = [{ channels: 1, sampleRate: 16_000 }, { sampleRate: 8000 }, { channels: 6, sampleRate: 48_000 }];
  const { tracks } = settlePackage({ package: ['hls'], audio });
  expect(tracks.map(({ output }) => output.audio?.bitrate)).toEqual([96, 96, 128]);
});
