import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { planPackage } from '../../../../engine/products/package/plan-package.ts';
import { planPackageProduct } from '../../../../engine/products/package/plan-product.ts';
import type { AudioSource } from '../../../../engine/source/source.ts';
import { settlePackage } from '../../../support/settled-outputs.ts';

const sampleRate = 48_000;
const hour = 3600;

/** Plans a package of sound in segments of six seconds, from these tracks. */
function planSound(tracks: readonly Partial<AudioSource>[], settings: Partial<DescribedOutput> = {}) {
  const sounds = tracks.map((facts, track) => ({
    ...{ track, path: 'x', formatName: 'flac', codec: 'flac', sampleRate, channels: 2, channelLayout: 'stereo' },
    ...{ bitrate: 800, losslessBits: 16, leadSeconds: 0, ending: 'whole', isDefault: track === 0, ...facts },
  })) as AudioSource[];
  const estimates = sounds.map(({ estimatedSeconds = 0 }) => estimatedSeconds);
  const source = { audio: sounds[0], tracks: sounds, estimatedSeconds: Math.max(...estimates), subtitles: [] };
  const output = settlePackage({
    ...{ package: ['hls'], video: false, audio: [{ codec: 'aac' }], segmentSeconds: 6, ...settings },
  } as unknown as DescribedOutput);
  const given = { image: undefined, subtitleOf: () => ({ cues: [] }) };
  return planPackage(output, source as never, given, '/tmp/x').parts.length;
}

const long = { estimatedSeconds: 10 * hour, countedSamples: 10 * hour * sampleRate };

test('a package of sound has files for the sound that its trim keeps, and not for the whole source', () => {
  expect(planSound([long], { trim: { start: 0, end: 60 } })).toBe(1);
  expect(() => planSound([long])).toThrow('it would have about 6000 files, and the limit is 5000');
  expect(() => planSound([long], { trim: { start: 0, end: 9 * hour } })).toThrow('about 5400 files');
});

test('a package of sound that is not counted, as beside a spread film, has files for its trim', () => {
  const { estimatedSeconds } = long;
  expect(planSound([{ estimatedSeconds }], { trim: { start: 60, end: 120 } })).toBe(1);
  expect(planSound([{ estimatedSeconds }], { trim: { start: 9 * hour } })).toBe(1);
  expect(() => planSound([{ estimatedSeconds }], { trim: { end: 9 * hour } })).toThrow('about 5400 files');
});

test('a package of sound has files for the tracks that it has, and not for the longest one of the source', () => {
  expect(planSound([{ estimatedSeconds: hour }, long])).toBe(1);
});

test('a package of sound is refused for a length that was counted, and not for one that is a guess', () => {
  const guess = { estimatedSeconds: 10 * hour, estimateIsGuess: true } as const;
  expect(planSound([guess])).toBe(1);
  expect(planSound([{ ...guess, countedSamples: hour * sampleRate }])).toBe(1);
  expect(() => planSound([{ ...guess, countedSamples: 9 * hour * sampleRate }])).toThrow('about 5400 files');
});

const pictures = {
  ...{ coded: { width: 320, height: 180 }, pixelAspect: { num: 1, den: 1 }, pixelFormat: 'yuv420p', colour: {} },
  ...{ timeBase: { num: 1, den: 1000 }, constantRate: { num: 25, den: 1 }, keyTicks: [0], frames: 250 },
  ...{ stamps: Array.from({ length: 250 }, (_, number) => number * 40), startTicks: 0, endTicks: 10_000 },
  ...{ filmStart: 0, bitrate: 800, soundStarts: [], claimedRates: [] },
};

test('captions that are burnt into a package have the clock of its first sound', () => {
  const tracks = [0, 0.5].map((aloneStart, track) => ({
    ...{ track, path: 'x', formatName: 'mov', codec: 'aac', sampleRate, channels: 2, channelLayout: 'stereo' },
    ...{ bitrate: 128, leadSeconds: 0, ending: 'whole', isDefault: track === 0, estimatedSeconds: 10, aloneStart },
  }));
  const output = settlePackage({
    ...{ package: ['hls'], video: {}, audio: [{ track: 1 }] },
    subtitles: { burn: { url: 'https://media.test/a.vtt', clock: 'sound' } },
  } as unknown as DescribedOutput);
  const given = { image: undefined, subtitleOf: () => ({ cues: [{ startMs: 1_000, endMs: 2_000, text: 'now' }] }) };
  const source = { audio: tracks[0], pictures, tracks, subtitles: [] };
  const { parts } = planPackage(output, source as never, given, '/tmp/x');
  // The sound alone begins 0.5 s after the film.
  expect(parts[0]?.plan.subtitles?.burnt?.content).toMatchObject({ cues: [{ startMs: 1_500, endMs: 2_500 }] });
});

test('the sound of a package is compared with the film that it accompanies, from the start of its cut', () => {
  const track = {
    ...{ track: 0, path: 'in.mkv', formatName: 'matroska', codec: 'aac', sampleRate, channels: 2 },
    ...{ bitrate: 128, leadSeconds: 0, ending: 'whole', isDefault: true, estimatedSeconds: 10 },
    channelLayout: 'stereo',
  };
  const output = settlePackage({ package: ['hls'], video: {}, trim: { start: 2 } } as unknown as DescribedOutput);
  const source = {
    ...{ audio: track, tracks: [track], subtitles: [] },
    pictures: { ...pictures, filmStart: 0.4, soundStarts: [0.5] },
  };
  const given = { image: undefined, subtitleOf: () => ({ cues: [] }) };
  const { parts } = planPackage(output, source as never, given, '/tmp/x');
  expect(parts.at(-1)?.plan.audio?.film).toEqual({ path: 'in.mkv', startSeconds: 2.4 });
});

test.each<[string, object, unknown[]]>([
  ['burnt texts', { subtitles: { burn: { url: 'https://media.test/a.vtt' } } }, [25, 25]],
  ['burnt texts and a requested rate', { subtitles: { burn: { url: 'https://media.test/a.vtt' } }, fps: 5 }, [5, 5]],
  [
    'texts beside the pictures',
    { subtitles: { add: [{ url: 'https://media.test/a.vtt' }] } },
    ['variable', 'variable'],
  ],
  ['a fade', { fade: { in: 1 } }, [25, 25]],
])('all sizes of a package of slides with %s have one frame rate', (_, { fps, ...edits }: { fps?: number }, rates) => {
  const output = settlePackage({
    ...{ package: ['hls'], video: { codec: 'h264', ...(fps && { fps }) } },
    ...{ renditions: [{ height: 180 }, { height: 90 }], ...edits },
  } as unknown as DescribedOutput);
  const given = { image: undefined, subtitleOf: () => ({ cues: [{ startMs: 1_000, endMs: 2_000, text: 'now' }] }) };
  const slides = { ...pictures, constantRate: undefined, stamps: [0, 5_000], frames: 2 };
  const { parts } = planPackage(output, { pictures: slides, tracks: [], subtitles: [] } as never, given, '/tmp/x');
  const timings = parts.map(({ plan }) => plan.video?.timing);
  expect(timings.map((timing) => (timing?.kind === 'constant' ? timing.fps.num : timing?.kind))).toEqual(rates);
});

test.each([
  [{}, { width: 160, height: 90 }, []],
  [{ rotate: 90 }, { width: 160, height: 284 }, ['transpose=dir=clock']],
  [{ crop: { left: 160 } }, { width: 160, height: 180 }, ['crop=w=160:h=180:x=160:y=0:exact=1']],
  [
    { rotate: 180, crop: { top: 90 } },
    { width: 160, height: 46 },
    ['vflip', 'hflip', 'crop=w=320:h=90:x=0:y=90:exact=1'],
  ],
] as const)('the thumbnails of a package with %j show what its pictures show', async (video, size, viewFilters) => {
  const output = settlePackage({ package: ['hls'], video, thumbnails: true } as unknown as DescribedOutput);
  const given = { watermarkOf: () => undefined, subtitleOf: () => ({ cues: [] }) };
  const limits = { memoryLimitBytes: Infinity };
  const source = { pictures, tracks: [], subtitles: [] };
  const planned = planPackageProduct(
    ...([output, source as never, given as never, limits as never, {} as never, '/tmp/x'] as const),
  );
  expect((await planned).thumbnails?.plan).toMatchObject({ shape: { size }, viewFilters });
});
