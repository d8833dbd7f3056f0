import { type OutputSettings, UnsupportedOutput } from '../../contract/output-settings.ts';
import type { AudioSource } from './source.ts';

/** What is left of a source's samples, and which of these fade. All figures are samples of each channel, at the source's rate. */
export interface CutPlan {
  /** Hz */
  sampleRate: number;
  /** of the whole source */
  sourceSamples: number;
  from: number;
  to: number;
  fadeIn: number;
  fadeOut: number;
}

/** Undefined where an output has all of its source, as it is. Throws where nothing would be left (pure). */
export function planOutputCut(output: OutputSettings, source: AudioSource): CutPlan | undefined {
  const { sampleRate, countedSamples } = source;
  if (countedSamples === undefined) return undefined;
  const { start = 0, end } = output.trim ?? {};
  const samplesOf = (seconds: number): number => Math.round(seconds * sampleRate);
  const from = samplesOf(start);
  const to = end === undefined ? countedSamples : Math.min(samplesOf(end), countedSamples);
  const length = (countedSamples / sampleRate).toFixed(3);
  if (from >= to) {
    throw new UnsupportedOutput(output, `nothing is left of the source's ${length} s after its trim from ${start} s`);
  }
  const [fadeIn, fadeOut] = [samplesOf(output.fade?.in ?? 0), samplesOf(output.fade?.out ?? 0)];
  if (fadeIn + fadeOut > to - from) {
    const left = ((to - from) / sampleRate).toFixed(3);
    throw new UnsupportedOutput(output, `its fades are longer than the ${left} s that it has`);
  }
  const isWhole = from === 0 && to === countedSamples && fadeIn === 0 && fadeOut === 0;
  return isWhole ? undefined : { sampleRate, sourceSamples: countedSamples, from, to, fadeIn, fadeOut };
}

/** Where a place of the source is in what is left of it, in seconds of both: before the cut at its beginning, behind it nowhere (pure). */
export function placeAfterCut({ sampleRate, from, to }: CutPlan, sourceSeconds: number): number | undefined {
  const place = Math.round(sourceSeconds * sampleRate);
  return place < to ? Math.max(0, place - from) / sampleRate : undefined;
}

/** ffmpeg's filters for it, after those that give the source its time (pure). */
export function cutFilters({ sampleRate, from, to, fadeIn, fadeOut }: CutPlan): string[] {
  const length = to - from;
  return [
    `aformat=sample_rates=${sampleRate}`,
    // A fade looks at time stamps, which are to count samples.
    ...[`atrim=start_sample=${from}:end_sample=${to}`, 'asetpts=N/SR/TB'],
    ...(fadeIn === 0 ? [] : [`afade=t=in:ss=0:ns=${fadeIn}`]),
    ...(fadeOut === 0 ? [] : [`afade=t=out:ss=${length - fadeOut}:ns=${fadeOut}`]),
  ];
}
