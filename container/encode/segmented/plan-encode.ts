import type { OutputPlan } from '../output-plan.ts';
import type { AudioSource } from '../source.ts';
import { findEntry, type Entry } from './entry.ts';
import { joinableCodecs } from './joinable-codecs.ts';
import { planSplit, type SplitPlan, type SplitSource } from './plan.ts';

/** The raw samples of a source take no more of the scratch disk than this: 3 hours of stereo in floating point. Bytes. */
export const maxRawBytes = 4 * 1024 ** 3;

/** How the segments of a job are made: from where, and for each output where it is cut, if at all. */
export interface SegmentedPlan {
  kind: 'segmented';
  source: AudioSource;
  entry: Exclude<Entry, { kind: 'none' }>;
  /** the best guess before anything is decoded */
  sourceSeconds: number;
  /** one for each output */
  splits: SplitPlan[];
}

export type EncodePlan = { kind: 'single'; reason: string } | SegmentedPlan;

function planOutputSplit({ container, audio }: OutputPlan, source: SplitSource, processes: number): SplitPlan {
  if (audio === undefined) return { kind: 'whole', reason: 'an output without audio' };
  if (joinableCodecs[audio.codec]?.containers.includes(container) === false) {
    return { kind: 'whole', reason: `${audio.codec} in ${container} is not split` };
  }
  return planSplit(source, audio, processes);
}

/** Decides for all outputs of a job: where no output gains by segments, the single run is taken for all. */
export async function planEncode(
  source: AudioSource | undefined,
  outputs: readonly OutputPlan[],
  processes: number,
): Promise<EncodePlan> {
  const single = (reason: string): EncodePlan => ({ kind: 'single', reason });
  if (source === undefined) return single('a source without audio');
  const { estimatedSeconds: sourceSeconds, sampleRate } = source;
  if (sourceSeconds === undefined) return single('a source of unknown length');
  // Only the first segment would have to have it.
  if (source.leadSeconds > 0) return single('a source whose audio starts late');
  const splits = outputs.map((output) => planOutputSplit(output, { sampleRate, seconds: sourceSeconds }, processes));
  const reasons = splits.flatMap((split) => (split.kind === 'whole' ? [split.reason] : []));
  if (reasons.length === splits.length) return single([...new Set(reasons)].join('; '));
  const entry = await findEntry(source);
  if (entry.kind === 'none') return single(entry.reason);
  if (entry.kind === 'pcm' && sourceSeconds * sampleRate * entry.shape.sampleBytes > maxRawBytes) {
    return single('too long to be kept as raw samples');
  }
  return { kind: 'segmented', source, entry, sourceSeconds, splits };
}
