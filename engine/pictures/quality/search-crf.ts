import type { QualityTarget } from '../../../contract/http/checks.ts';

/** Result of samples at a constant rate factor. A larger factor yields worse pictures and a smaller file. */
export interface CrfProbe {
  crf: number;
  vmaf: number;
  percentile1: number;
}

/** Best and worst value of a codec's scale. */
export interface CrfRange {
  best: number;
  worst: number;
}

/** Each probe encodes and measures all samples. */
export const mostProbes = 6;

/** VMAF points per step of the scale, until two probes reveal it. */
const usualSlope = 1;
/** Used if two probes hardly differ. */
const leastSlope = 0.1;

/** VMAF points by which a probe exceeds the target; negative below it. */
export function marginOf(probe: Omit<CrfProbe, 'crf'>, target: QualityTarget): number {
  const ofPictures = target.percentile1 === undefined ? Infinity : probe.percentile1 - target.percentile1;
  return Math.min(probe.vmaf - target.vmaf, ofPictures);
}

/** The worst known factor that reaches the target, and the best that does not. */
function bracket<Probe extends CrfProbe>(
  probes: readonly Probe[],
  target: QualityTarget,
): { reaching?: Probe; missing?: Probe } {
  const sorted = probes.toSorted((one, other) => one.crf - other.crf);
  const reaching = sorted.findLast((probe) => marginOf(probe, target) >= 0);
  const missing = sorted.find((probe) => marginOf(probe, target) < 0);
  return { ...(reaching !== undefined && { reaching }), ...(missing !== undefined && { missing }) };
}

/** Next factor to try, an integer; undefined if nothing more can be learnt. */
export function nextCrf(
  probes: readonly CrfProbe[],
  target: QualityTarget,
  { best, worst }: CrfRange,
  start: number,
): number | undefined {
  const last = probes.at(-1);
  if (last === undefined) return Math.min(worst, Math.max(best, Math.round(start)));
  if (probes.length >= mostProbes) return undefined;
  const { reaching, missing } = bracket(probes, target);
  const least = (reaching?.crf ?? best - 1) + 1;
  const most = (missing?.crf ?? worst + 1) - 1;
  if (least > most) return undefined;
  const before = probes.at(-2);
  const measured = before && (marginOf(before, target) - marginOf(last, target)) / (last.crf - before.crf);
  const slope = measured === undefined ? usualSlope : Math.max(leastSlope, measured);
  const guess = Math.floor(last.crf + marginOf(last, target) / slope);
  return Math.min(most, Math.max(least, guess));
}

/** The smallest file that reaches the target; if none does, the best pictures. */
export function chooseCrf<Probe extends CrfProbe>(probes: readonly Probe[], target: QualityTarget): Probe | undefined {
  const { reaching } = bracket(probes, target);
  return reaching ?? probes.toSorted((one, other) => one.crf - other.crf)[0];
}
