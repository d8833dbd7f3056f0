import { expect, test } from 'vitest';
import type { AudioPlan } from '../../../engine/plan/audio-plan.ts';
import type { EncodeTarget } from '../../../engine/plan/encoded-file.ts';
import type { Source } from '../../../engine/source/source.ts';
import { planSound } from '../../../engine/spread/plan-sound.ts';

const sampleRate = 48_000;

const sourceOf = (seconds: number): Source => {
  const facts = { formatName: 'wav', codec: 'pcm_s16le', sampleFormat: 's16', channels: 2, channelLayout: 'stereo' };
  const length = { declaredSeconds: seconds, estimatedSeconds: seconds, leadSeconds: 0 };
  const track = { path: '', track: 0, sampleRate, ...facts, ...length };
  return { tracks: [track] } as unknown as Source;
};

type Changes = Partial<Omit<AudioPlan, 'cut'>> & { cut?: object };

const target = (codec: string, container: string, changes: Changes = {}): EncodeTarget => {
  const sourceTime = { formatName: 'wav', leadSeconds: 0 };
  const audio = { codec, bitrate: 128, channels: 2, sampleRate, track: 0, evensSpeech: false, sourceTime, ...changes };
  return { path: '', plan: { container, audio } } as unknown as EncodeTarget;
};
const mp3 = target('mp3', 'mp3');
const opus = target('opus', 'ogg');
const flac = target('flac', 'flac');

const auto = { leastSeconds: 300, segments: 6, segmentSeconds: { least: 60, most: 120 } };
const asked = (seconds: number) => ({
  ...{ leastSeconds: 0, segments: 6 },
  segmentSeconds: { least: seconds, most: seconds },
});

test.each([
  ['an hour on two containers', 3600, auto, 6],
  ['an hour on sixteen containers', 3600, { ...auto, segments: 48 }, 12],
  ['ten minutes', 600, auto, 2],
  ['two hours on two containers', 7200, auto, 12],
  ['an hour in segments of five times two minutes', 3600, asked(120), 6],
  ['ten minutes in segments that would be mostly run-in', 600, asked(5), 13],
])('%s is divided into equal segments without a gap', async (_, seconds, request, count) => {
  const planned = await planSound(sourceOf(seconds), [mp3, opus], request);
  if (planned.kind === 'whole') throw new Error(planned.reason);
  const { segments, files } = planned;
  expect(files).toBe(2);
  expect(segments).toHaveLength(count);
  expect(segments[0]?.from).toBe(0);
  expect(segments.at(-1)?.to).toBe(seconds * 1000);
  expect(segments.slice(1).map(({ from }) => from)).toEqual(segments.slice(0, -1).map(({ to }) => to));
});

test('an output that cannot be divided stays beside those that can', async () => {
  const quiet = target('mp3', 'mp3', { loudness: { integrated: -16, truePeak: -1, maxGain: 20 } });
  expect(await planSound(sourceOf(3600), [flac, mp3, quiet, opus], auto)).toMatchObject({ files: 2 });
});

const cut = { keptSamples: 60 * sampleRate, sampleRate };

test.each<[string, number, EncodeTarget[], RegExp]>([
  ['no output has sound', 3600, [], /^no output has pictures or sound/],
  ['its codec is not divided', 3600, [flac], /^its sound cannot be divided: flac/],
  [
    'its loudness is measured in the whole file',
    3600,
    [target('mp3', 'mp3', { loudness: { integrated: -16, truePeak: -1, maxGain: 20 } })],
    /a loudness that is measured in the whole file$/,
  ],
  ['it is shorter than “auto” divides', 299, [mp3], /^the recording is shorter than 300 s$/],
  ['it is too short for two segments', 320, [mp3], /^the recording is too short for two segments$/],
  ['its outputs have different lengths', 3600, [mp3, target('opus', 'ogg', { cut })], /different lengths$/],
])('a recording stays whole if %s', async (_, seconds, targets, reason) => {
  expect(await planSound(sourceOf(seconds), targets, auto)).toEqual({
    kind: 'whole',
    reason: expect.stringMatching(reason),
  });
});
