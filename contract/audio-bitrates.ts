// Bitrates that audio encoders take. No imports: workflow code bundles this file at run time.

/** kbit/s that an encoder takes: a list, or a range that includes both ends. */
export type Bitrates = readonly number[] | { min: number; max: number };

/** MPEG-1 layer III rates (ISO/IEC 11172-3, 2.4.2.3) and the lower MPEG-2 ones (ISO/IEC 13818-3), in kbit/s. */
const mpeg1Bitrates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2Bitrates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

export function mp3Bitrates(_channels: number, sampleRate: number): Bitrates {
  if (sampleRate >= 32_000) return mpeg1Bitrates;
  return sampleRate < 16_000 ? mpeg2Bitrates.filter((rate) => rate <= 64) : mpeg2Bitrates;
}

/**
 * Minimum and maximum kbit/s per channel of libvorbis by sample rate in Hz, for stereo (coupled channels) and for other
 * layouts (libvorbis, modes/setup_*.h).
 */
const vorbisKbitPerChannel = [
  { from: 40_000, pair: [22.5, 250], other: [32, 240] },
  { from: 26_000, pair: [18, 190], other: [30, 190] },
  { from: 19_000, pair: [15, 86], other: [16, 90] },
  { from: 15_000, pair: [12, 100], other: [16, 100] },
  { from: 9_000, pair: [8, 50], other: [12, 50] },
  { from: 0, pair: [6, 42], other: [8, 42] },
] as const;

export function vorbisBitrates(channels: number, sampleRate: number): Bitrates {
  const { pair, other } = vorbisKbitPerChannel.find(({ from }) => sampleRate >= from) ?? vorbisKbitPerChannel[0];
  const [min, max] = channels === 2 ? pair : other;
  return { min: Math.ceil(min * channels), max: Math.floor(max * channels) };
}

/** MPEG-1 layer II in kbit/s, without the combinations of bitrate and mode that ISO/IEC 11172-3, 2.4.2.3 forbids. */
const layer2Bitrates = {
  mono: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192],
  stereo: [64, 96, 112, 128, 160, 192, 224, 256, 320, 384],
};

export function mp2Bitrates(channels: number): Bitrates {
  return channels === 1 ? layer2Bitrates.mono : layer2Bitrates.stereo;
}

/** A/52, table 5.18 */
export const ac3Bitrates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
