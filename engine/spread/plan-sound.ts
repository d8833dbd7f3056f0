import type { EncodeTarget } from '../plan/encoded-file.ts';
import { overlapSecondsOf } from '../sound/segmented/grid.ts';
import { outputSeconds, type SplitOutputPlan } from '../sound/segmented/plan.ts';
import { planEncode } from '../sound/segmented/plan-encode.ts';
import type { Source } from '../source/source.ts';
import { segmentLength, type SpreadPlan, type SpreadRequest } from './plan-spread.ts';

/**
 * Length of a segment of sound in lengths of a segment of a film. Sound is encoded so fast that short segments cost more
 * than they save.
 */
export const soundLengthFactor = 5;

/** Least length of a segment in multiples of the sound that its encoder receives in addition. */
const leastInOverlaps = 2;

/** How the sound of a job is divided. `files`: number of the files that segments are joined to. */
export type SoundPlan =
  (Extract<SpreadPlan, { kind: 'segments' }> & { files: number }) | { kind: 'whole'; reason: string };

/** Divides the sound of a job without films into segments that containers can encode side by side. */
export async function planSound(
  source: Source,
  targets: readonly EncodeTarget[],
  request: SpreadRequest,
): Promise<SoundPlan> {
  const whole = (reason: string): SoundPlan => ({ kind: 'whole', reason });
  if (targets.length === 0) return whole('no output has pictures or sound to encode');
  const plan = await planEncode(
    source,
    targets.map((target) => target.plan),
    1,
    { from: 0, to: undefined },
  );
  if (plan.kind === 'single') return whole(`its sound cannot be divided: ${plan.reason}`);
  const splits = plan.splits.filter((split) => split.kind === 'split');
  const lengths = splits.map((split) => lengthMs(split, source));
  const [length = 0] = lengths;
  if (lengths.some((other) => other !== length)) return whole('its outputs have different lengths');
  const seconds = length / 1000;
  if (seconds < request.leastSeconds) return whole(`the recording is shorter than ${request.leastSeconds} s`);
  const overlap = Math.max(...splits.map(({ grid, codec }) => overlapSecondsOf(grid, codec)));
  const { least, most } = request.segmentSeconds;
  const segmentSeconds = { least: least * soundLengthFactor, most: most * soundLengthFactor };
  const wanted = segmentLength(seconds, splits.length, { ...request, segmentSeconds });
  const count = Math.round(seconds / Math.max(wanted, overlap * leastInOverlaps));
  if (count < 2) return whole('the recording is too short for two segments');
  const border = (index: number): number => Math.round((length * index) / count);
  const segments = Array.from({ length: count }, (_, index) => ({ from: border(index), to: border(index + 1) }));
  return { kind: 'segments', segments, files: splits.length };
}

/** Milliseconds of an output, by what is known before decoding. */
export function lengthMs({ audio }: SplitOutputPlan, source: Source): number {
  const track = source.tracks[audio.track];
  const seconds = track && outputSeconds({ sampleRate: track.sampleRate, seconds: track.estimatedSeconds }, audio);
  return Math.round((seconds ?? 0) * 1000);
}
