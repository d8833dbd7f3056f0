import type { FileSettings } from '../../contract/file-settings.ts';
import { UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { cutSilences, keepExpression, type SampleRange } from '../source/silence.ts';
import type { AudioSource } from '../source/source.ts';

/** The kept samples of a source, and the fades among them. All values are samples per channel at the source's rate. */
export interface CutPlan extends SampleRange {
  /** Hz. */
  sampleRate: number;
  sourceSamples: number;
  /** Pauses that are removed between its ends, in whole blocks. */
  drops: readonly SampleRange[];
  blockSamples: number;
  fadeIn: number;
  fadeOut: number;
  keptSamples: number;
  /** In the plan of a part: kept samples before it, because a fade goes by the position in the whole. */
  keptBefore: number;
}

/** The kept part of a source. */
export type SourceCut = Pick<CutPlan, 'sampleRate' | 'sourceSamples' | 'from' | 'to' | 'drops'>;

export function cutSamples({ from, to, drops }: Pick<CutPlan, 'from' | 'to' | 'drops'>): number {
  return drops.reduce((length, drop) => length - (drop.to - drop.from), to - from);
}

/** Undefined if an output has the whole source, unchanged. Throws if nothing would be left. */
export function planOutputCut(output: FileSettings, source: AudioSource): CutPlan | undefined {
  const { sampleRate, countedSamples } = source;
  if (countedSamples === undefined) return undefined;
  const { trim = {}, fade = {}, silence } = output;
  const samplesOf = (seconds: number): number => Math.round(seconds * sampleRate);
  const secondsOf = (samples: number): string => `${(samples / sampleRate).toFixed(3)} s`;
  const range = {
    from: samplesOf(trim.start ?? 0),
    to: trim.end === undefined ? countedSamples : Math.min(samplesOf(trim.end), countedSamples),
  };
  if (range.from >= range.to) {
    const [from, to] = [` from ${trim.start ?? 0} s`, trim.end === undefined ? '' : ` to ${trim.end} s`];
    const whole = secondsOf(countedSamples);
    throw new UnsupportedOutput(output, `nothing is left of the source's ${whole} after its trim${from}${to}`);
  }
  const { quiet } = source;
  const kept =
    silence === undefined || quiet === undefined
      ? { ...range, drops: [] }
      : cutSilences(range, silence, quiet, sampleRate);
  const length = cutSamples(kept);
  if (length <= 0) throw new UnsupportedOutput(output, `all ${secondsOf(range.to - range.from)} of it are silent`);
  const [fadeIn, fadeOut] = [samplesOf(fade.in ?? 0), samplesOf(fade.out ?? 0)];
  if (fadeIn + fadeOut > length) {
    throw new UnsupportedOutput(output, `its fades are longer than the ${secondsOf(length)} that it has`);
  }
  const isWhole = length === countedSamples && fadeIn === 0 && fadeOut === 0;
  const blockSamples = quiet?.blockSamples ?? 1;
  if (isWhole) return undefined;
  const whole = { sampleRate, sourceSamples: countedSamples, keptSamples: length, keptBefore: 0 };
  return { ...whole, ...kept, blockSamples, fadeIn, fadeOut };
}

/** Sample of the source that follows `kept` of the kept samples. */
function placeInSource({ from, to, drops }: CutPlan, kept: number): number {
  let place = from + kept;
  for (const drop of drops) if (drop.from <= place) place += drop.to - drop.from;
  return Math.min(place, to);
}

/** A part of the kept samples. */
export interface CutPart {
  /** Source samples that it needs, including dropped ones in between. */
  source: SampleRange;
  /** How the part is cut out of these samples. */
  cut: CutPlan;
}

/** Plans kept samples `keptFrom` to `keptTo` (exclusive; undefined: to the end). */
export function planCutPart(cut: CutPlan, keptFrom: number, keptTo: number | undefined): CutPart {
  const from = placeInSource(cut, keptFrom);
  const to = keptTo === undefined ? cut.to : placeInSource(cut, keptTo);
  // Blocks are counted from the first sample that is read.
  const readFrom = Math.floor(from / cut.blockSamples) * cut.blockSamples;
  const moved = (range: SampleRange): SampleRange => ({ from: range.from - readFrom, to: range.to - readFrom });
  const drops = cut.drops.filter((drop) => drop.from >= from && drop.to <= to).map(moved);
  return { source: { from: readFrom, to }, cut: { ...cut, ...moved({ from, to }), drops, keptBefore: keptFrom } };
}

/**
 * Maps a position in the source to the kept samples, both in seconds. Positions in a dropped range map to its place;
 * positions after the end map to undefined.
 */
export function placeAfterCut({ sampleRate, from, to, drops }: SourceCut, sourceSeconds: number): number | undefined {
  const place = Math.max(from, Math.round(sourceSeconds * sampleRate));
  if (place >= to) return undefined;
  const before = drops.flatMap((drop) => (drop.from < place ? [{ ...drop, to: Math.min(drop.to, place) }] : []));
  return cutSamples({ from, to: place, drops: before }) / sampleRate;
}

/** ffmpeg filters for the cut, which follow those that set the source's timing. */
export function cutFilters(cut: CutPlan): string[] {
  const { sampleRate, from, drops, blockSamples, fadeIn, fadeOut, keptSamples, keptBefore } = cut;
  const pauses =
    drops.length === 0
      ? []
      : [`asetnsamples=${blockSamples}:p=0`, `aselect='${keepExpression(drops, blockSamples)}'`, 'asetpts=N/SR/TB'];
  return [
    `aformat=sample_rates=${sampleRate}`,
    ...pauses,
    // A fade goes by timestamps, which must count samples. N/SR/TB would occasionally be one short.
    ...[`atrim=start_sample=${from}:end_sample=${from + cutSamples(cut)}`, `asetpts=N+${keptBefore}`],
    ...(fadeIn === 0 ? [] : [`afade=t=in:ss=0:ns=${fadeIn}`]),
    ...(fadeOut === 0 ? [] : [`afade=t=out:ss=${keptSamples - fadeOut}:ns=${fadeOut}`]),
  ];
}
