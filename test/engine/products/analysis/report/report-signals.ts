import { randomNumbers } from '../../../../support/random.ts';

/** Value of a signal at a time in seconds, per channel. */
export type Wave = (seconds: number, index: number) => number | readonly number[];

/** Interleaved samples of a wave. */
export function samplesOfWave(wave: Wave, { seconds = 1, sampleRate = 48_000 } = {}): Float32Array {
  const frames = Math.round(seconds * sampleRate);
  return Float32Array.from(Array.from({ length: frames }, (_, index) => wave(index / sampleRate, index)).flat());
}

export const sine =
  (hertz: number, amplitude = 1): ((seconds: number) => number) =>
  (seconds) =>
    amplitude * Math.sin(2 * Math.PI * hertz * seconds);

/** White noise between -`amplitude` and `amplitude`. */
export function noise(amplitude: number, seed = 1): () => number {
  const random = randomNumbers(seed);
  return () => amplitude * (2 * random() - 1);
}

/** Rounded and clipped to 16 bits. */
export const toSixteenBits = (value: number): number =>
  Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))) / 32_768;

/** Passes the samples in blocks of odd lengths, as read from a file. Results must not depend on block borders. */
export function addInBlocks(
  meter: { add(block: Float32Array): void },
  samples: Float32Array,
  channels: number,
  lengths = [1, 7, 480, 4099, 16_384],
): void {
  let at = 0;
  for (let turn = 0; at < samples.length; turn += 1) {
    const length = (lengths[turn % lengths.length] ?? 1) * channels;
    meter.add(samples.slice(at, at + length));
    at += length;
  }
}
