import { randomNumbers } from '../support/random.ts';

/** Shape of a signal whose moments and channels all differ, so that a sound reveals its position. */
export interface SignalShape {
  /** Default 6.02: three chunks of 2.5 s, and not a whole number of any codec's frames. */
  seconds?: number;
  /** Hz; default 44,100. */
  sampleRate?: number;
  channels?: number;
  /** Default 1. Signals with different seeds differ. */
  seed?: number;
}

/** Duration of one sweep, deliberately unrelated to other durations. */
const sweepSeconds = 7.3;

/**
 * Interleaved samples of a sweep that swells and fades over soft noise. Both are below 2 kHz, which even telephone codecs
 * keep, and all samples are 24-bit integers.
 */
export function createSignal({
  seconds = 6.02,
  sampleRate = 44_100,
  channels = 1,
  seed = 1,
}: SignalShape): Float32Array {
  const count = Math.round(seconds * sampleRate);
  const samples = new Float32Array(count * channels);
  for (let channel = 0; channel < channels; channel += 1) {
    const random = randomNumbers(seed * 64 + channel);
    const smoothing = Math.min(1, 9000 / sampleRate);
    let rumble = 0;
    let phase = seed + channel;
    for (let index = 0; index < count; index += 1) {
      const time = index / sampleRate;
      const sweep = ((time + 0.9 * channel + 1.7 * seed) % sweepSeconds) / sweepSeconds;
      phase += (2 * Math.PI * (300 + 1300 * sweep)) / sampleRate;
      rumble += smoothing * (2 * random() - 1 - rumble);
      const level = 0.25 + 0.1 * Math.sin(1.9 * time + channel);
      const value = level * Math.sin(phase) + 0.15 * rumble;
      samples[index * channels + channel] = Math.round(value * 2 ** 23) / 2 ** 23;
    }
  }
  return samples;
}
