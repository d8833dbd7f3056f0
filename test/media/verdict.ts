import type { Outcome } from './kind.ts';
import { findPlace, momentsOf, partOf, secondsOf, signalToNoise, type Sound, type SoundFormat } from './sound.ts';

/** How one operation did with one kind. */
export interface Verdict {
  /** what is not as the kind states it */
  faults: readonly string[];
  /** what came out, in a few words */
  found: string;
}

/** Seconds by which a length, or the place of a sound, may be off (docs/reference/encode.md and "Chunk"). */
export const mostSecondsOff = 0.05;

/** Of a chunk, which may be off at both ends. */
const mostChunkSecondsOff = 2 * mostSecondsOff;

/** Encoders keep a sound in its place to the sample; this is far below what can be heard. */
export const mostEncoderLagSeconds = 0.005;

/** The same sound by another decoder or rate. */
const leastLikeness = 0.9;

/** In an mp3. Six channels of noise that are mixed to two lose most. */
const leastLossyLikeness = 0.8;

const sameSamples = 'same samples';

/** An answer that says nothing of a figure is at fault too. */
type FoundFormat = { [Field in keyof SoundFormat]?: number | undefined };

export const inMilliseconds = (seconds: number): string => `${Math.round(seconds * 1000)} ms`;

const inPlaceTo = (lagSeconds: number): string => `in place to ${inMilliseconds(lagSeconds)}`;

export function formatFaults(found: FoundFormat, wanted: SoundFormat): string[] {
  const tell = ({ channels, sampleRate }: FoundFormat): string => `${channels} channels at ${sampleRate} Hz`;
  return tell(found) === tell(wanted) ? [] : [`${tell(found)} instead of ${tell(wanted)}`];
}

export function lengthFaults(seconds: number, wanted: number): string[] {
  return Math.abs(seconds - wanted) > mostSecondsOff ? [`says ${seconds} s instead of ${wanted.toFixed(3)} s`] : [];
}

/** Sample by sample: as many, and the same ones or near them. */
export function compareSamples(made: Sound, reference: Sound, outcome: Outcome): Verdict {
  const faults = formatFaults(made, reference);
  if (momentsOf(made) !== momentsOf(reference))
    faults.push(`${momentsOf(made)} samples instead of ${momentsOf(reference)}`);
  const decibels = signalToNoise(made, reference);
  const wanted = outcome.kind === 'near' ? outcome.decibels : Infinity;
  if (!(decibels >= wanted)) faults.push(`${decibels.toFixed(1)} dB from what plain ffmpeg decodes`);
  return { faults, found: decibels === Infinity ? sameSamples : `${Math.floor(decibels)} dB` };
}

/** The length of an output, and whether its sound lies where it did. */
export function comparePlaces(made: Sound, reference: Sound, mostLagSeconds: number): Verdict {
  const off = secondsOf(made) - secondsOf(reference);
  const faults = Math.abs(off) > mostSecondsOff ? [`${inMilliseconds(off)} longer than the source`] : [];
  let largestLag = 0;
  // At the beginning, in the middle, and near the end: what is lost on the way moves all that follows.
  for (const share of [0, 0.4, 0.7]) {
    const start = share * secondsOf(reference);
    const { lag, likeness } = findPlace(partOf(made, start, 2), reference, start);
    largestLag = Math.max(largestLag, Math.abs(lag));
    if (likeness < leastLossyLikeness || Math.abs(lag) > mostLagSeconds)
      faults.push(`at ${start.toFixed(1)} s off by ${inMilliseconds(lag)}, likeness ${likeness.toFixed(2)}`);
  }
  return { faults, found: inPlaceTo(largestLag) };
}

/** A chunk that should be the part of the reference from `start` on. */
export function compareChunk(made: Sound, reference: Sound, start: number, seconds: number): Verdict {
  const off = secondsOf(made) - seconds;
  const faults = Math.abs(off) > mostChunkSecondsOff ? [`${inMilliseconds(off)} longer than planned`] : [];
  const { lag, likeness } = findPlace(made, reference, start);
  if (likeness < leastLikeness) faults.push(`holds another sound (likeness ${likeness.toFixed(2)})`);
  else if (Math.abs(lag) > mostSecondsOff) faults.push(`${inMilliseconds(lag)} beside its place`);
  return { faults, found: inPlaceTo(Math.abs(lag)) };
}

/** One verdict of several, each fault with the name of what it is of. */
export function together(verdicts: readonly (readonly [name: string, verdict: Verdict])[]): Verdict {
  return {
    faults: verdicts.flatMap(([name, { faults }]) => faults.map((fault) => `${name}: ${fault}`)),
    found: worstOf(verdicts.map(([, { found }]) => found)),
  };
}

/** What has a figure is worse than what has none; few decibels and many milliseconds are worse than more and fewer. */
function worstOf(found: readonly string[]): string {
  const badness = (text: string): number => {
    const figure = Number(/\d+/.exec(text)?.[0] ?? -1);
    return text.endsWith('dB') ? 1 / figure : figure;
  };
  return found.toSorted((left, right) => badness(right) - badness(left))[0] ?? '';
}
