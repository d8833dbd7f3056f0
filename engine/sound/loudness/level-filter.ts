import type { Level } from '../../plan/audio-plan.ts';

/** Format of the samples that a level is set for. */
interface LevelledShape {
  /** Hz. */
  sampleRate: number;
  /** ffmpeg's names of the allowed layouts. */
  channelLayouts: string;
}

/** Hz at which a limiter sees the peaks between samples (BS.1770-4, annex 2: 4 times 48 kHz). */
const limiterRate = 176_400;

/** The default of 32 taps takes 1.8 dB of 20 kHz at 44.1 kHz; 64 taps with this cutoff take 0.02 dB. */
const resampling = 'filter_size=64:cutoff=0.98';

/** Milliseconds: short enough for a click, slow enough for bass. */
const attackMs = 5;
const releaseMs = 50;

/** Formats a ceiling for ffmpeg's limiter, which accepts -24 to 0 dB. */
const limitOf = (ceiling: number): string => (10 ** (Math.min(0, Math.max(-24, ceiling)) / 20)).toFixed(6);

/**
 * ffmpeg filters for a level; empty if none are needed. The number and time of samples stay the same (`latency=1`). A
 * limiter forgets the past within a second.
 */
export function levelFilters({ gain, ceiling }: Level, { sampleRate, channelLayouts }: LevelledShape): string[] {
  const volume = `volume=${gain.toFixed(3)}dB:precision=float`;
  if (ceiling === undefined) return gain === 0 ? [] : [volume];
  const rate = sampleRate * Math.max(1, 2 ** Math.round(Math.log2(limiterRate / sampleRate)));
  return [
    volume,
    `aresample=${rate}:${resampling}`,
    `alimiter=level=disabled:latency=1:attack=${attackMs}:release=${releaseMs}:limit=${limitOf(ceiling)}`,
    `aresample=${sampleRate}:${resampling}:internal_sample_fmt=fltp`,
    `aformat=channel_layouts=${channelLayouts}`,
  ];
}
