import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeOutputs, type OutputArguments } from '../../../cli/media/describe-outputs.ts';
import { describePictureFields } from '../../../cli/media/picture-fields.ts';
import { describeTags } from '../../../cli/media/tag-arguments.ts';
import { definedFields } from '../../../contract/defined-fields.ts';
import { builtInPresets } from '../../../contract/presets.ts';
import { useFolder } from '../../support/folder.ts';

const userFolder = useFolder();
writeFileSync(join(userFolder, 'two.json'), '\uFEFF[{"container": "mkv", "video": {}}, {"format": "flac"}]');

function describe(typed: Partial<OutputArguments>) {
  const whole = { format: [], preset: [], trimSilence: false, ...typed };
  return describeOutputs(whole, {
    tags: describeTags(whole, userFolder),
    pictures: describePictureFields(whole, userFolder),
    presets: builtInPresets,
    userFolder,
  });
}

test.each<[string, Partial<OutputArguments>, object[]]>([
  [
    'a container with video options',
    { container: 'mp4', crf: 21, fps: 25 },
    [{ container: 'mp4', video: { crf: 21, fps: 25 } }],
  ],
  ['a video container', { container: 'mkv' }, [{ container: 'mkv', video: {} }]],
  [
    'the audio of a film in a video container',
    { container: 'mp4', video: 'none', audio: 'alac' },
    [{ container: 'mp4', audio: { codec: 'alac' } }],
  ],
  [
    'all video options',
    {
      container: 'mp4',
      bitrate: 900,
      pixelFormat: 'yuv420p',
      crop: { top: 20 },
      pad: 'white',
      rotate: 90,
      deinterlace: 'never',
      denoise: 'medium',
      sharpen: 'light',
      hdr: 'sdr',
      copy: true,
      width: 640,
      height: 640,
      videoLevel: '3.1',
      fragmented: true,
    },
    [
      {
        container: 'mp4',
        video: {
          bitrate: 900,
          pixelFormat: 'yuv420p',
          crop: { top: 20 },
          pad: 'white',
          rotate: 90,
          deinterlace: false,
          denoise: 'medium',
          sharpen: 'light',
          hdr: 'sdr',
          copy: true,
          width: 640,
          height: 640,
          level: '3.1',
        },
        audio: { copy: true },
        fragmented: true,
      },
    ],
  ],
  [
    'quality checks for video, and verification for all encoded outputs',
    {
      preset: ['web-h264-720', 'podcast-aac'],
      analysis: ['report'],
      image: ['poster'],
      verify: 'full',
      quality: true,
      targetVmaf: 95,
      targetPercentile1: 90,
      targetPer: 'scene',
    },
    [
      { preset: 'web-h264-720', verify: 'full', quality: true, target: { vmaf: 95, percentile1: 90, per: 'scene' } },
      { preset: 'podcast-aac', verify: 'full' },
      { analysis: 'report' },
      { image: 'poster' },
    ],
  ],
  ['a container and a codec', { container: 'mkv', video: 'h264' }, [{ container: 'mkv', video: { codec: 'h264' } }]],
  ['an audio container', { container: 'mka', audio: 'flac' }, [{ container: 'mka', audio: { codec: 'flac' } }]],
  [
    'video options with presets, only for those with video',
    { preset: ['web-h264-720', 'podcast-aac'], maxBitrate: 2000, width: 640 },
    [{ preset: 'web-h264-720', video: { maxBitrate: 2000, width: 640 } }, { preset: 'podcast-aac' }],
  ],
  ['a film without its audio', { preset: ['proxy-360'], audio: 'none' }, [{ preset: 'proxy-360', audio: false }]],
  ['only the audio of a film', { preset: ['proxy-360'], video: 'none' }, [{ preset: 'proxy-360', video: false }]],
  [
    'JSON, with options for its missing fields',
    { output: ['{"container": "mp4", "video": {"crf": 30}}'], crf: 20, speed: 'fast', channels: 1 },
    [{ container: 'mp4', channels: 1, video: { crf: 30, speed: 'fast' } }],
  ],
  ['a JSON file', { output: ['two.json'] }, [{ container: 'mkv', video: {} }, { format: 'flac' }]],
  [
    'an image by JSON and a film',
    { preset: ['proxy-360'], output: ['{"image": "waveform", "width": 320}'], height: 90 },
    [
      { preset: 'proxy-360', video: { height: 90 } },
      { image: 'waveform', width: 320 },
    ],
  ],
])('describes %s: %j', (_, typed, outputs) => {
  expect(describe(typed).map(({ output }) => definedFields(output))).toEqual(outputs);
});

test('adds tags of the command line to an output by JSON that has none', () => {
  const [output] = describe({ output: ['{"format": "mp3_64", "metadata": {"title": "Mine"}}'], title: 'Theirs' });
  expect(output?.output).toMatchObject({ metadata: { title: 'Mine' } });
});

test.each<[Partial<OutputArguments>, string]>([
  [{ format: ['mp3_128'], crf: 21 }, '--crf needs a video output: --container mp4, or'],
  [{ format: ['mp3_128'], video: 'h264' }, '--video needs a video output'],
  [{ preset: ['podcast-aac'], videoLevel: '4.1' }, '--video-level needs a video output'],
  [{ container: 'webm', video: 'vp9', videoLevel: '4.1' }, 'level'],
  [{ format: ['mp3_128'], fragmented: true }, 'mp3 files cannot be fragmented'],
  [{ preset: ['podcast-aac'], keyframeInterval: 2 }, '--keyframe-interval needs a video output'],
  [{ format: ['mp3_128'], audio: 'aac' }, '--audio needs --container or --preset.'],
  [{ container: 'mp3', crf: 21 }, '--crf needs a video output'],
  [{ container: 'mkv', video: 'none' }, 'mkv files need pictures'],
  [{ container: 'mp4', video: 'divx' }, 'known video codecs are h264'],
  [{ container: 'mp4', width: 4 }, '--width of pictures: '],
  [{ container: 'mp4', fit: 'cover', width: 100 }, 'needs both width and height'],
  [
    { preset: ['proxy-360'], image: ['waveform'], width: 100 },
    '--width, --height and --fit apply to video and to images',
  ],
  [{ preset: ['podcast-aac'], quality: true }, '--quality needs a video output'],
  [{ preset: ['podcast-aac'], targetVmaf: 95 }, '--target-vmaf needs a video output'],
  [{ preset: ['proxy-360'], targetPercentile1: 90 }, '--target-percentile1 needs --target-vmaf.'],
  [{ preset: ['proxy-360'], targetPer: 'scene' }, '--target-per needs --target-vmaf.'],
  [{ format: ['mp3_128'], watermark: 'https://media.test/logo.png' }, '--watermark needs a video output'],
  [{ preset: ['proxy-360'], watermarkSize: 0.5 }, '--watermark-size needs --watermark.'],
  [{ format: ['mp3_128'], subtitles: 'keep' as const }, '--subtitles needs a video output'],
  [{ format: ['mp3_128'], burnSubtitles: 'https://media.test/a.srt' }, '--burn-subtitles needs a video output'],
  [{ preset: ['archive-ffv1'], targetVmaf: 95 }, 'a target chooses the crf, and ffv1 has none'],
  [{ preset: ['web-av1-1080'], targetVmaf: 95, targetPer: 'scene' }, 'a target per scene needs h264 or hevc'],
  [{ container: 'mp4', bitrate: 900, crf: 21 }, 'use a crf or a bitrate, not both'],
  [{ container: 'mp4', pad: 'white' }, '"pad" needs both width and height'],
  [{ output: ['{"container": "mp4"'] }, '--output is not JSON: '],
  [{ output: ['[]'] }, '--output is an empty list.'],
  [{ output: ['{"container": "mp4", "uploadUrl": "file:///x"}'] }, '--output cannot be used. it: '],
  [{ output: ['[{"format": "flac"}, {"video": {"crf": 99}}]'] }, 'video.crf of output 1: '],
  [{ output: ['{"crf": 21}'] }, '--output cannot be used. '],
  [{ output: ['nowhere.json'] }, `"nowhere.json" cannot be read: `],
])('refuses %j with "%s"', (typed, sentence) => {
  expect(() => describe(typed)).toThrow(sentence);
});
