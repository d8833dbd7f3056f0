import type { OutputPlan } from '../../plan/planned-output.ts';
import type { AudioSource, Source } from '../../source/source.ts';
import { findEntry, type Entry } from './entry.ts';
import { joinableCodecs, joinableSamples } from './joinable-codecs.ts';
import { type OutputRange, planSplit, type SplitPlan } from './plan.ts';

/** Limit in bytes for the raw samples of a source's tracks: 3 hours of stereo in floating point. */
export const maxRawBytes = 4 * 1024 ** 3;

/** A track of the source, and how its segments are read. */
export interface SegmentedTrack {
  source: AudioSource;
  entry: Exclude<Entry, { kind: 'none' }>;
}

/** How the segments of a job are made: the source of their samples, and the cuts of each output. */
export interface SegmentedPlan {
  kind: 'segmented';
  /** Tracks used by outputs in segments, by their place in the source. */
  tracks: ReadonlyMap<number, SegmentedTrack>;
  /** The time in the source at which the outputs end: the best estimate before anything is decoded. */
  sourceSeconds: number;
  /** The time in the source at which the outputs begin. Undefined if they are no range. */
  fromSeconds?: number;
  /** One per output. */
  splits: SplitPlan[];
}

export type EncodePlan = { kind: 'single'; reason: string } | SegmentedPlan;

const whole = (reason: string): SplitPlan => ({ kind: 'whole', reason });

function planOutputSplit(
  { container, audio, samplesFor, isFragmented }: OutputPlan,
  source: Source,
  processes: number,
  range: OutputRange | undefined,
): SplitPlan {
  const track = source.tracks[audio?.track ?? 0];
  if (audio === undefined || track === undefined) return whole('an output without audio');
  const splitSource = { sampleRate: track.sampleRate, seconds: track.estimatedSeconds };
  if (samplesFor === 'one_file') return whole('samples that are measured as one file');
  if (samplesFor === 'parts') return planSplit(splitSource, audio, processes, { codec: joinableSamples });
  if (isFragmented === true) return whole('a file in fragments');
  if (joinableCodecs[audio.codec]?.containers.includes(container) === false) {
    return whole(`${audio.codec} in ${container} is not split`);
  }
  // The start of the pictures decides, not that of other streams of the file.
  if (audio.sourceTime.leadSeconds !== track.leadSeconds) return whole('sound that is to be in step with pictures');
  if (range !== undefined && audio.loudness !== undefined)
    return whole('a loudness that is measured in the whole file');
  return planSplit(splitSource, audio, processes, { range });
}

/** Entry of a track if its raw samples take at most `roomBytes`. */
async function enterTrack(source: AudioSource, roomBytes: number): Promise<{ entry: Entry; rawBytes: number }> {
  const entry = await findEntry(source);
  const none = (reason: string) => ({ entry: { kind: 'none' as const, reason }, rawBytes: 0 });
  if (entry.kind !== 'pcm') {
    // Only raw samples include the silence before them.
    return source.leadSeconds > 0 ? none('a source whose audio starts late') : { entry, rawBytes: 0 };
  }
  const samples = source.countedSamples ?? (source.estimatedSeconds ?? 0) * source.sampleRate;
  const rawBytes = samples * entry.shape.sampleBytes;
  return rawBytes > roomBytes ? none('too long to be kept as raw samples') : { entry, rawBytes };
}

/**
 * Decides for all outputs of a job, or for a range of each. If no output gains from segments, a single run encodes all.
 */
export async function planEncode(
  source: Source,
  outputs: readonly OutputPlan[],
  processes: number,
  range?: OutputRange,
): Promise<EncodePlan> {
  const splits = outputs.map((output) => planOutputSplit(output, source, processes, range));
  const tracks = new Map<number, SegmentedTrack>();
  let roomBytes = maxRawBytes;
  for (const track of source.tracks) {
    const ofTrack = [...splits.keys()].filter((index) => {
      const split = splits[index];
      return split?.kind === 'split' && split.audio.track === track.track;
    });
    if (ofTrack.length === 0) continue;
    const { entry, rawBytes } = await enterTrack(track, roomBytes);
    if (entry.kind === 'pcm' && ofTrack.every((index) => outputs[index]?.samplesFor !== undefined)) {
      for (const index of ofTrack) splits[index] = whole('samples that one process decodes as fast');
      continue;
    }
    roomBytes -= rawBytes;
    if (entry.kind !== 'none') tracks.set(track.track, { source: track, entry });
    else for (const index of ofTrack) splits[index] = whole(entry.reason);
  }
  if (tracks.size > 0) return { kind: 'segmented', tracks, sourceSeconds: source.estimatedSeconds ?? 0, splits };
  const reasons = splits.flatMap((split) => (split.kind === 'whole' ? [split.reason] : []));
  return { kind: 'single', reason: [...new Set(reasons)].join('; ') };
}
