import { describe, expect, test } from 'vitest';
import type { AudioPlan } from '../../../../engine/plan/audio-plan.ts';
import { planSplit } from '../../../../engine/sound/segmented/plan.ts';

const sourceTime = { formatName: 'wav', leadSeconds: 0 };
const mp3: AudioPlan = {
  codec: 'mp3',
  bitrate: 128,
  channels: 2,
  sampleRate: 44_100,
  quality: undefined,
  samples: 16,
  dither: undefined,
  track: 0,
  cut: undefined,
  evensSpeech: false,
  isMixed: false,
  takenChannel: undefined,
  sourceTime,
};
const opus: AudioPlan = { ...mp3, codec: 'opus', bitrate: 96, sampleRate: 48_000 };

describe('splitting an output:', () => {
  const source = (seconds: number | undefined) => ({ sampleRate: 44_100, seconds });
  test.each([
    ['an hour of mp3', mp3, 3600, 2, 4],
    ['an hour of mp3', mp3, 3600, 8, 8],
    ['ten minutes of mp3', mp3, 600, 2, 2],
    ['ten minutes of mp3, no segment of which is mostly run-in,', mp3, 600, 64, 21],
    ['a minute of mp3', mp3, 60, 2, 1],
    ['a second of mp3', mp3, 1, 2, 1],
    ['80 seconds of opus, which runs in for longer,', opus, 80, 2, 1],
    ['ten minutes of opus', opus, 600, 2, 2],
    ['an hour of mp3', mp3, 3600, 1, 1],
    ['mp3 of 8 kbit/s at 24 kHz', { ...mp3, bitrate: 8, sampleRate: 24_000 }, 3600, 2, 1],
    ['an hour of flac', { ...mp3, codec: 'flac' as const }, 3600, 2, 1],
    ['an hour of wav', { ...mp3, codec: 'pcm' as const }, 3600, 2, 1],
    ['5.1 channels of opus', { ...opus, channels: 6 }, 3600, 2, 4],
    ['5.1 channels of aac', { ...mp3, codec: 'aac' as const, channels: 6 }, 3600, 2, 1],
    ['an hour of mp3 of a quality', { ...mp3, bitrate: undefined, quality: 2 }, 3600, 2, 4],
    ['an hour of vorbis', { ...mp3, codec: 'vorbis' as const }, 3600, 2, 4],
    ['a source of unknown length', mp3, undefined, 2, 1],
  ])('%s (%j, %d s) on %d cores is encoded in %d segments', (_, output, seconds, processes, expected) => {
    const split = planSplit(source(seconds), output, processes);
    expect(split.kind === 'split' ? split.segments.length : 1).toBe(expected);
  });

  const cut = {
    ...{ sampleRate: 44_100, sourceSamples: 3600 * 44_100, from: 0, to: 3600 * 44_100, drops: [], blockSamples: 1 },
    ...{ fadeIn: 44_100, fadeOut: 44_100, keptSamples: 3600 * 44_100, keptBefore: 0 },
  };
  test.each<[string, Partial<AudioPlan>, number]>([
    ['faded', { cut }, 4],
    ['of another track', { track: 3 }, 4],
    ['mixed to one channel', { channels: 1, isMixed: true }, 4],
    ['of speakers made equal', { evensSpeech: true }, 2],
    ['of which a minute is left', { cut: { ...cut, to: 60 * 44_100, keptSamples: 60 * 44_100 } }, 1],
  ])('an hour %s is encoded in as many segments as its length justifies', (_, change, expected) => {
    const split = planSplit(source(3600), { ...mp3, ...change }, 2);
    expect(split.kind === 'split' ? split.segments.length : 1).toBe(expected);
  });

  test('segments meet at their cuts, start on the grid, and overlap their neighbours', () => {
    const split = planSplit(source(3600), mp3, 2);
    if (split.kind === 'whole') throw new Error(split.reason);
    const [first, second, , last] = split.segments;
    expect(first).toMatchObject({ cut: 0, runIn: 0, sourceFrom: 0, outputFrom: 0 });
    expect(second?.runIn).toBe(441);
    expect(first?.sourceTo).toBe(((second?.cut ?? 0) + 98) * 1152);
    expect(last).toMatchObject({ sourceTo: undefined, outputSamples: undefined });
    expect(split.segments.every(({ cut, runIn }) => cut % 49 === 0 && runIn % 49 === 0)).toBe(true);
  });
});
