import { describe, expect, test } from 'vitest';
import type { AudioPlan } from '../../../../container/encode/output-plan.ts';
import { entryOf } from '../../../../container/encode/segmented/entry.ts';
import { frameGrid } from '../../../../container/encode/segmented/grid.ts';
import { planSplit } from '../../../../container/encode/segmented/plan.ts';

const mp3: AudioPlan = { codec: 'mp3', bitrate: 128, channels: 2, sampleRate: 44_100, bitDepth: 16 };
const opus: AudioPlan = { ...mp3, codec: 'opus', bitrate: 96, sampleRate: 48_000 };

describe('the grid that cuts lie on', () => {
  test.each([
    // 128 kbit/s at 44.1 kHz: 417 23/49 bytes a frame.
    ['mp3' as const, 128, 44_100, 44_100, 1152, 49],
    ['mp3' as const, 128, 48_000, 48_000, 1152, 1],
    // 5 frames of 48 kHz are 5292 samples of 44.1 kHz, a whole number of the resampler's periods.
    ['mp3' as const, 128, 48_000, 44_100, 1152, 5],
    ['mp3' as const, 32, 22_050, 44_100, 576, 49],
    ['mp3' as const, 24, 16_000, 16_000, 576, 1],
    ['aac' as const, 96, 44_100, 44_100, 1024, 1],
    ['opus' as const, 96, 48_000, 48_000, 960, 4],
    ['opus' as const, 24, 24_000, 44_100, 480, 4],
  ])('%s %d kbit/s at %d Hz from %d Hz', (codec, bitrate, sampleRate, sourceRate, frameSamples, step) => {
    expect(frameGrid({ codec, bitrate, sampleRate }, sourceRate)).toMatchObject({ frameSamples, step });
  });

  test('rates in no simple ratio have none', () => {
    expect(frameGrid({ codec: 'mp3', bitrate: 128, sampleRate: 48_000 }, 44_101)).toBeUndefined();
  });
});

describe('whether an output is split', () => {
  const source = (seconds: number | undefined) => ({ sampleRate: 44_100, seconds });
  test.each([
    ['an hour on 2 cores', mp3, 3600, 2, 4],
    ['an hour on 8 cores', mp3, 3600, 8, 8],
    ['ten minutes on 2 cores', mp3, 600, 2, 2],
    ['ten minutes on 64 cores: no segment is mostly run-in', mp3, 600, 64, 21],
    ['a minute', mp3, 60, 2, 1],
    ['a second', mp3, 1, 2, 1],
    ['opus runs in for longer', opus, 80, 2, 1],
    ['opus, ten minutes', opus, 600, 2, 2],
    ['one core', mp3, 3600, 1, 1],
    ['8 kbit/s at 24 kHz', { ...mp3, bitrate: 8, sampleRate: 24_000 }, 3600, 2, 1],
    ['flac', { ...mp3, codec: 'flac' as const }, 3600, 2, 1],
    ['5.1', { ...opus, channels: 6 }, 3600, 2, 1],
    ['nobody knows how long', mp3, undefined, 2, 1],
  ])('%s', (_, output, seconds, processes, expected) => {
    const split = planSplit(source(seconds), output, processes);
    expect(split.kind === 'split' ? split.segments.length : 1).toBe(expected);
  });

  test('segments meet at their cuts, begin on the grid, and run in and out over them', () => {
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

test.each([
  ['wav', 'pcm_s16le', 's16', 2, { kind: 'seek' }],
  ['wav', 'pcm_f32le', 'flt', 6, { kind: 'seek' }],
  ['wav', 'adpcm_ms', 's16', 2, { kind: 'pcm', rawFormat: 's16le' }],
  ['flac', 'flac', 's32', 2, { kind: 'seek' }],
  ['mp3', 'mp3', 'fltp', 2, { kind: 'pcm', rawFormat: 'f32le', bytesPerSecond: 352_800 }],
  ['mov,mp4,m4a,3gp,3g2,mj2', 'aac', 'fltp', 1, { kind: 'pcm', rawFormat: 'f32le', bytesPerSecond: 176_400 }],
  ['mov,mp4,m4a,3gp,3g2,mj2', 'alac', 's32p', 2, { kind: 'pcm', rawFormat: 's32le' }],
  ['matroska,webm', 'ac3', 'fltp', 6, { kind: 'none' }],
  ['ogg', 'vorbis', undefined, 2, { kind: 'none' }],
])('%s with %s (%s, %d ch) is entered', (formatName, codec, sampleFormat, channels, entry) => {
  expect(entryOf({ formatName, codec, sampleFormat, channels, sampleRate: 44_100 })).toMatchObject(entry);
});
