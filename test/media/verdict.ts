import type { Outcome } from './kind.ts';
import { findPlace, momentsOf, partOf, secondsOf, signalToNoise, type Sound, type SoundFormat } from './sound.ts';

export interface Verdict {
  /** Deviations from the kind's expectation. */
  faults: readonly string[];
  /** Measured result in a few words. */
  found: string;
}

/** Tolerance in seconds for lengths and positions of sounds (docs/reference/encode.md and docs/reference/chunks.md). */
export const mostSecondsOff = 0.05;

/** Tolerance for a chunk, which may deviate at both ends. */
const mostChunkSecondsOff = 2 * mostSecondsOff;

/** Encoders keep the position of a sound to the sample; this is far below what can be heard. */
export const mostEncoderLagSeconds = 0.005;

/** Least likeness of the same sound from another decoder or at another rate. */
const leastLikeness = 0.9;

/** Least likeness in an mp3; six channels of noise mixed to two lose most. */
const leastLossyLikeness = 0.8;

const sameSamples = 'same samples';

/** A missing figure in an answer is a fault too. */
type FoundFormat = { [Field in keyof SoundFormat]?: number | undefined };

export const inMilliseconds = (seconds: number): string => `${Math.round(seconds * 1000)} ms`;

const inPlaceTo = (lagSeconds: number): string => `in place to ${inMilliseconds(lagSeconds)}`;

export function formatFaults(found: FoundFormat, wanted: SoundFormat): string[] {
  const describe = ({ channels, sampleRate }: FoundFormat): string => `${channels} channels at ${sampleRate} Hz`;
  return describe(found) === describe(wanted) ? [] : [`${describe(found)} instead of ${describe(wanted)}`];
}

export function lengthFaults(seconds: number, wanted: number): string[] {
  return Math.abs(seconds - wanted) > mostSecondsOff ? [`says ${seconds} s instead of ${wanted.toFixed(3)} s`] : [];
}

/** Compares sample by sample: the number, and equality or nearness. */
export function compareSamples(made: Sound, reference: Sound, outcome: Outcome): Verdict {
  const faults = formatFaults(made, reference);
  if (momentsOf(made) !== momentsOf(reference))
    faults.push(`${momentsOf(made)} samples instead of ${momentsOf(reference)}`);
  const decibels = signalToNoise(made, reference);
  const wanted = outcome.kind === 'near' ? outcome.decibels : Infinity;
  if (!(decibels >= wanted)) faults.push(`${decibels.toFixed(1)} dB from what plain ffmpeg decodes`);
  return { faults, found: decibels === Infinity ? sameSamples : `${Math.floor(decibels)} dB` };
}

/** Compares the length of an output and the position of its sound. */
export function comparePlaces(made: Sound, reference: Sound, mostLagSeconds: number): Verdict {
  const off = secondsOf(made) - secondsOf(reference);
  const faults = Math.abs(off) > mostSecondsOff ? [`${inMilliseconds(off)} longer than the source`] : [];
  let largestLag = 0;
  // Lost sound at the start, in the middle or near the end moves all that follows.
  for (const share of [0, 0.4, 0.7]) {
    const start = share * secondsOf(reference);
    const { lag, likeness } = findPlace(partOf(made, start, 2), reference, start);
    largestLag = Math.max(largestLag, Math.abs(lag));
    if (likeness < leastLossyLikeness || Math.abs(lag) > mostLagSeconds)
      faults.push(`at ${start.toFixed(1)} s off by ${inMilliseconds(lag)}, likeness ${likeness.toFixed(2)}`);
  }
  return { faults, found: inPlaceTo(largestLag) };
}

/** Compares a chunk with the part of the reference that starts at `start`. */
export function compareChunk(made: Sound, reference: Sound, start: number, seconds: number): Verdict {
  const off = secondsOf(made) - seconds;
  const faults = Math.abs(off) > mostChunkSecondsOff ? [`${inMilliseconds(off)} longer than planned`] : [];
  const { lag, likeness } = findPlace(made, reference, start);
  if (likeness < leastLikeness) faults.push(`holds another sound (likeness ${likeness.toFixed(2)})`);
  else if (Math.abs(lag) > mostSecondsOff) faults.push(`${inMilliseconds(lag)} beside its place`);
  return { faults, found: inPlaceTo(Math.abs(lag)) };
}

/** Combines verdicts, prefixing each fault with its name. */
export function together(verdicts: readonly (readonly [name: string, verdict: Verdict])[]): Verdict {
  return {
    faults: verdicts.flatMap(([name, { faults }]) => faults.map((fault) => `${name}: ${fault}`)),
    found: worstOf(verdicts.map(([, { found }]) => found)),
  };
}

/** Any figure is worse than none; fewer decibels and more milliseconds are worse. */
function worstOf(found: readonly string[]): string {
  const badness = (text: string): number => {
    const figure = Number(/\d+/.exec(text)?.[0] ?? -1);
    return text.endsWith('dB') ? 1 / figure : figure;
  };
  return found.toSorted((left, right) => badness(right) - badness(left))[0] ?? '';
}
