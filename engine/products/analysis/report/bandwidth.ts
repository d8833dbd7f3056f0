import { SpectrumReader } from '../spectrum-reader.ts';
import type { BandwidthFacts } from '../../../../contract/http/report.ts';

/** Highest rate in Hz for a window of so many samples; each window is double the one before. */
const windowSizes: readonly (readonly [number, number])[] = [
  [24_000, 2048],
  [50_000, 4096],
  [100_000, 8192],
  [Infinity, 16_384],
];

/** FFT bins per band: about 86 Hz at 44.1 kHz. */
const binsPerBand = 8;

/** dBFS; quieter windows do not reveal the source's bandwidth. */
const leastWindowDb = -55;

/**
 * dBFS of a band, and dB below the strongest one. Anything lower is inaudible; the noise of 16 bits is another 10 dB
 * lower.
 */
const leastBandDb = -115;
const greatestDepthDb = 90;

/** A floor for logarithms, below the noise of 24 bits. */
const leastPower = 1e-16;

/**
 * Hz and dB. An encoder removes everything within a few hundred Hz: full level below, nothing above. Chosen in
 * `docs/decisions/detect-lossy-past-by-cut-off.md`.
 */
const plateauHz = 860;
const edgeHz = 600;
const leastDropDb = 25;
const depthOfCutoffDb = 20;

/** Hz below the cutoff, and dB. A resampler with a short filter rolls off over some kHz; an encoder does not. */
const shoulderHz = { from: 3000, to: 1000 };
const greatestSlopeDb = 15;

/**
 * Hz at which encoders cut off, with the bitrate (kbit/s) of the corresponding mp3. The gaps leave out broadcasts (15
 * kHz) and audio resampled from 32, 24 or 22.05 kHz, which ends slightly below half of that rate.
 */
const lossyCutoffs = [
  { from: 11_060, to: 11_400, bitrate: 64 },
  { from: 12_050, to: 14_000, bitrate: 80 },
  { from: 16_020, to: 17_300, bitrate: 128 },
  { from: 17_300, to: 18_200, bitrate: 160 },
  { from: 18_200, to: 19_300, bitrate: 192 },
  { from: 19_300, to: 19_900, bitrate: 256 },
  { from: 19_900, to: 20_650, bitrate: 320 },
];

/** Frequency in Hz at which the spectrum ends abruptly (pure). `levels` are dB of equal bands. */
export function findCutoff(levels: Float64Array, bandHz: number): number | undefined {
  const plateau = Math.round(plateauHz / bandHz);
  const edge = Math.round(edgeHz / bandHz);
  let [greatest, found] = [leastDropDb, -1];
  let above = -Infinity;
  const quietest = (band: number): number => Math.min(...levels.subarray(band - plateau, band));
  for (let band = levels.length - 1 - edge; band >= plateau; band -= 1) {
    above = Math.max(above, levels[band + edge] ?? -Infinity);
    const drop = quietest(band) - above;
    if (drop > greatest) [greatest, found] = [drop, band];
  }
  if (found < 0) return undefined;
  const level = quietest(found);
  const shoulder = levels.subarray(
    Math.max(0, found - Math.round(shoulderHz.from / bandHz)),
    Math.max(1, found - Math.round(shoulderHz.to / bandHz)),
  );
  const slope = shoulder.reduce((sum, value) => sum + value, 0) / shoulder.length - level;
  if (slope > greatestSlopeDb) return undefined;
  const end = levels.findIndex((value, band) => band >= found && value < level - depthOfCutoffDb);
  return end * bandHz;
}

/** Measures the highest frequency, and whether the spectrum ends like an encoder's. */
export class BandwidthMeter {
  readonly #reader: SpectrumReader;
  readonly #bandHz: number;
  /** Sums of powers over all windows, and of their logarithms over the loud windows. */
  readonly #powers: Float64Array;
  readonly #logarithms: Float64Array;
  #windows = 0;
  #loudWindows = 0;

  constructor({ channels, sampleRate }: { channels: number; sampleRate: number }) {
    const size = windowSizes.find(([most]) => sampleRate <= most)?.[1] ?? 0;
    const bands = size / 2 / binsPerBand;
    this.#bandHz = sampleRate / 2 / bands;
    this.#powers = new Float64Array(bands);
    this.#logarithms = new Float64Array(bands);
    this.#reader = new SpectrumReader({ channels, size }, (powers) => this.#addWindow(powers));
  }

  add(block: Float32Array): void {
    this.#reader.add(block);
  }

  result(): BandwidthFacts {
    // A truncated window would show energy at all frequencies. Only the shortest sounds have nothing else.
    if (this.#windows === 0) this.#reader.flush();
    const levels = this.#logarithms.map((sum) => (this.#loudWindows === 0 ? -Infinity : sum / this.#loudWindows));
    const cutoff = findCutoff(levels, this.#bandHz);
    const lossy = lossyCutoffs.find(({ from, to }) => cutoff !== undefined && cutoff >= from && cutoff < to);
    return {
      frequency: Math.round(cutoff ?? this.#highest()),
      ...(cutoff !== undefined && { cutoff: Math.round(cutoff) }),
      probablyLossy: lossy !== undefined,
      ...(lossy !== undefined && { resemblesBitrate: lossy.bitrate }),
    };
  }

  #addWindow(powers: Float64Array): void {
    this.#windows += 1;
    let total = 0;
    for (const power of powers) total += power;
    const isLoud = 10 * Math.log10(total) > leastWindowDb;
    if (isLoud) this.#loudWindows += 1;
    for (let band = 0; band < this.#powers.length; band += 1) {
      let power = 0;
      for (let bin = band * binsPerBand; bin < (band + 1) * binsPerBand; bin += 1) power += powers[bin] ?? 0;
      power /= binsPerBand;
      this.#powers[band] = (this.#powers[band] ?? 0) + power;
      if (isLoud) this.#logarithms[band] = (this.#logarithms[band] ?? 0) + 10 * Math.log10(power + leastPower);
    }
  }

  /** Highest frequency with sound, in Hz. */
  #highest(): number {
    const levels = this.#powers.map((sum) => 10 * Math.log10(sum / Math.max(1, this.#windows) + leastPower));
    const least = Math.max(leastBandDb, Math.max(...levels) - greatestDepthDb);
    return (levels.findLastIndex((level) => level > least) + 1) * this.#bandHz;
  }
}
