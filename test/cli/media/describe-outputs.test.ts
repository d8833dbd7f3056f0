import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeOutputs, type OutputArguments } from '../../../cli/media/describe-outputs.ts';
import { describeTags } from '../../../cli/media/tag-arguments.ts';
import { definedFields } from '../../../contract/defined-fields.ts';
import { builtInPresets } from '../../../contract/presets.ts';

const userFolder = mkdtempSync(join(tmpdir(), 'holdfast-outputs-'));
writeFileSync(join(userFolder, 'two.json'), '\uFEFF[{"container": "mkv", "video": {}}, {"format": "flac"}]');

function describe(typed: Partial<OutputArguments>) {
  const whole = { format: [], preset: [], trimSilence: false, ...typed };
  return describeOutputs(whole, { tags: describeTags(whole, userFolder), presets: builtInPresets, userFolder });
}

test.each<[string, Partial<OutputArguments>, object[]]>([
  [
    'a container with figures of pictures',
    { container: 'mp4', crf: 21, fps: 25 },
    [{ container: 'mp4', video: { crf: 21, fps: 25 } }],
  ],
  ['a container and a codec', { container: 'mkv', video: 'h264' }, [{ container: 'mkv', video: { codec: 'h264' } }]],
  ['a container of sound', { container: 'mka', audio: 'flac' }, [{ container: 'mka', audio: { codec: 'flac' } }]],
  [
    'figures beside presets, for those with pictures',
    { preset: ['web-h264-720', 'podcast-aac'], maxBitrate: 2000, width: 640 },
    [{ preset: 'web-h264-720', video: { maxBitrate: 2000, width: 640 } }, { preset: 'podcast-aac' }],
  ],
  ['a film without its sound', { preset: ['proxy-360'], audio: 'none' }, [{ preset: 'proxy-360', audio: false }]],
  ['the sound of a film alone', { preset: ['proxy-360'], video: 'none' }, [{ preset: 'proxy-360', video: false }]],
  [
    'JSON, and options for what it leaves open',
    { output: ['{"container": "mp4", "video": {"crf": 30}}'], crf: 20, speed: 'fast', channels: 1 },
    [{ container: 'mp4', channels: 1, video: { crf: 30, speed: 'fast' } }],
  ],
  ['a file with JSON', { output: ['two.json'] }, [{ container: 'mkv', video: {} }, { format: 'flac' }]],
  [
    'an image by JSON beside a film',
    { preset: ['proxy-360'], output: ['{"image": "waveform", "width": 320}'], height: 90 },
    [
      { preset: 'proxy-360', video: { height: 90 } },
      { image: 'waveform', width: 320 },
    ],
  ],
])('%s: %j', (_, typed, outputs) => {
  expect(describe(typed).map(({ output }) => definedFields(output))).toEqual(outputs);
});

test('tags of the command line are of an output by JSON as well, where it has none of its own', () => {
  const [output] = describe({ output: ['{"format": "mp3_64", "metadata": {"title": "Mine"}}'], title: 'Theirs' });
  expect(output?.output).toMatchObject({ metadata: { title: 'Mine' } });
});

test.each<[Partial<OutputArguments>, string]>([
  [{ format: ['mp3_128'], crf: 21 }, '--crf needs an output with pictures: --container mp4, or'],
  [{ format: ['mp3_128'], video: 'h264' }, '--video needs an output with pictures'],
  [{ preset: ['podcast-aac'], keyframeInterval: 2 }, '--keyframe-interval needs an output with pictures'],
  [{ format: ['mp3_128'], audio: 'aac' }, '--audio needs --container or --preset.'],
  [{ container: 'mp3', crf: 21 }, 'mp3 holds no pictures'],
  [{ container: 'mkv' }, 'mkv is made with pictures only'],
  [{ container: 'mp4', video: 'divx' }, 'known video codecs are h264'],
  [{ container: 'mp4', width: 4 }, '--width of pictures: '],
  [{ container: 'mp4', fit: 'cover', width: 100 }, 'needs both width and height'],
  [
    { preset: ['proxy-360'], image: ['waveform'], width: 100 },
    '--width, --height and --fit are of films and of images',
  ],
  [{ output: ['{"container": "mp4"'] }, '--output is no JSON: '],
  [{ output: ['[]'] }, '--output is an empty list.'],
  [{ output: ['{"container": "mp4", "uploadUrl": "file:///x"}'] }, '--output cannot be used. it: '],
  [{ output: ['[{"format": "flac"}, {"video": {"crf": 99}}]'] }, 'video.crf of output 1: '],
  [{ output: ['{"crf": 21}'] }, '--output cannot be used. '],
  [{ output: ['nowhere.json'] }, `"nowhere.json" cannot be read: `],
])('%j is refused: %s', (typed, sentence) => {
  expect(() => describe(typed)).toThrow(sentence);
});
