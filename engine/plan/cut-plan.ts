import type { FileSettings } from '../../contract/file-settings.ts';
import { UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { cutSilences, keepExpression, type SampleRange } from '../source/silence.ts';
import type { AudioSource } from '../source/source.ts';

/** What is left of a source's samples, and which of these fade. All figures are samples of each channel, at the source's rate. */
export interface CutPlan extends SampleRange {
  /** Hz */
  sampleRate: number;
  /** of the whole source */
  sourceSamples: number;
  /** Pauses that fall away between its ends, in whole blocks. */
  drops: readonly SampleRange[];
  blockSamples: number;
  fadeIn: number;
  fadeOut: number;
  /** what is left of the source */
  keptSamples: number;
  /** In the plan of a part of that: what is left before it; a fade goes by its place in the whole. */
  keptBefore: number;
}

/** What is left of a source, wherever it goes. */
export type SourceCut = Pick<CutPlan, 'sampleRate' | 'sourceSamples' | 'from' | 'to' | 'drops'>;

/** Samples that are left. */
export function cutSamples({ from, to, drops }: Pick<CutPlan, 'from' | 'to' | 'drops'>): number {
  return drops.reduce((length, drop) => length - (drop.to - drop.from), to - from);
}

/** Undefined where an output has all of its source, as it is. Throws where nothing would be left (pure). */
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

/** The sample of the source behind `kept` of those that are left (pure). */
function placeInSource({ from, to, drops }: CutPlan, kept: number): number {
  let place = from + kept;
  for (const drop of drops) if (drop.from <= place) place += drop.to - drop.from;
  return Math.min(place, to);
}

/** A part of what is left of a source. */
export interface CutPart {
  /** samples of the source that it is made of, and others before and between */
  source: SampleRange;
  /** how it is cut out of these alone */
  cut: CutPlan;
}

/** From that sample of what is left to before the other; undefined: to the end (pure). */
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
 * Where a place of the source is in what is left of it, in seconds of both: what falls away before its end goes to where it was, and
 * what lies behind its end nowhere (pure).
 */
export function placeAfterCut({ sampleRate, from, to, drops }: SourceCut, sourceSeconds: number): number | undefined {
  const place = Math.max(from, Math.round(sourceSeconds * sampleRate));
  if (place >= to) return undefined;
  const before = drops.flatMap((drop) => (drop.from < place ? [{ ...drop, to: Math.min(drop.to, place) }] : []));
  return cutSamples({ from, to: place, drops: before }) / sampleRate;
}

/** ffmpeg's filters for it, after those that give the source its time (pure). */
export function cutFilters(cut: CutPlan): string[] {
  const { sampleRate, from, drops, blockSamples, fadeIn, fadeOut, keptSamples, keptBefore } = cut;
  const pauses =
    drops.length === 0
      ? []
      : [`asetnsamples=${blockSamples}:p=0`, `aselect='${keepExpression(drops, blockSamples)}'`, 'asetpts=N/SR/TB'];
  return [
    `aformat=sample_rates=${sampleRate}`,
    ...pauses,
    // A fade looks at time stamps, which are to count samples; N/SR/TB would be one too few here and there.
    ...[`atrim=start_sample=${from}:end_sample=${from + cutSamples(cut)}`, `asetpts=N+${keptBefore}`],
    ...(fadeIn === 0 ? [] : [`afade=t=in:ss=0:ns=${fadeIn}`]),
    ...(fadeOut === 0 ? [] : [`afade=t=out:ss=${keptSamples - fadeOut}:ns=${fadeOut}`]),
  ];
}
