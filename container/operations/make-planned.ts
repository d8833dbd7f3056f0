import { join } from 'node:path';
import type { SourceFacts } from '../../contract/http/encode.ts';
import type { AnalysisResult } from '../../engine/products/analysis/analysis.ts';
import { judgeStreams } from '../../engine/verify/completeness.ts';
import type { EncodeTarget } from '../../engine/plan/encoded-file.ts';
import { makeOutputs, type MakeOptions } from '../../engine/products/file/make-outputs.ts';
import type { LevelledFile } from '../../engine/sound/loudness/encode-at-loudness.ts';
import type { Source } from '../../engine/source/source.ts';
import { withEncodeShare } from '../../engine/encode-share.ts';
import { saysOfSource } from '../../engine/left-out.ts';
import type { MediaError } from '../../engine/media-error.ts';
import {
  type FilmImageTarget,
  isFilmImage,
  makeFilmImages,
  planFilmImages,
} from '../../engine/products/image/make-film-images.ts';
import type { Work } from '../../engine/work.ts';
import { writeSilentReport } from '../../engine/products/analysis/report/silent-report.ts';
import type { FilmImage } from '../../engine/products/image/image-job.ts';
import { analyseSamples, checkSamples, isAnalysis, planSamples } from './analyse-samples.ts';
import type { PlannedOutput } from './plan-outputs.ts';

/** What became of an output, before it is verified. */
export type MadeOutput =
  | { kind: 'encoded'; encoded: LevelledFile }
  /** `encoded`: each of its parts, in their order. */
  | { kind: 'package'; encoded: LevelledFile[]; thumbnails?: FilmImage }
  /** `encoded`: the samples that it was made of. */
  | { kind: 'analysis'; encoded: LevelledFile; found: AnalysisResult }
  | { kind: 'image'; image: FilmImage }
  /** A report of a film without sound. */
  | { kind: 'report'; seconds: number }
  | { kind: 'left_out'; reason: MediaError };

interface Made {
  outputs: ReadonlyMap<PlannedOutput, MadeOutput>;
  source: SourceFacts;
}

/** Images are made of few pictures, and take little of the time of an encode. */
const imageShare = 0.1;

/** Makes all outputs: images of few pictures first, the others from one decode. Judges the source by what came of it. */
export async function makePlanned(
  outputs: readonly PlannedOutput[],
  source: Source,
  options: MakeOptions,
): Promise<Made> {
  const { limits, job } = options;
  const drawn = outputs.filter(isFilmImage);
  const images = drawn.filter(({ isOptional }) => !isOptional);
  const thumbnails = outputs.flatMap((output) => output.thumbnails ?? []);
  const others = outputs.filter((output) => !isFilmImage(output) && !isSilentReport(output) && !output.leftOut);
  const planned = planFilmImages([...images, ...thumbnails], source.pictures, limits);
  const samples = planSamples(others.filter(isAnalysis), (index) => join(job.folder, `samples-${index}`));
  await checkSamples(samples, source.tracks, limits.maxOutputBytes);
  const share = drawn.length + thumbnails.length === 0 ? 0 : others.length === 0 ? 1 : imageShare;
  const made = new Map<PlannedOutput, MadeOutput>();
  const drawing = withEncodeShare(job, 0, share);
  const pictures = await makeFilmImages(planned, limits, drawing);
  for (const output of images) made.set(output, { kind: 'image', image: lookUp(pictures, output) });
  for (const output of drawn.filter(({ isOptional }) => isOptional)) {
    made.set(output, await drawIfPossible(output, source, limits, drawing));
  }
  const encoded = others.filter((output) => !isAnalysis(output));
  const targets = [...encoded.flatMap(partsOf), ...samples];
  const files = await makeOutputs(source, targets, { ...options, job: withEncodeShare(job, share, 1) });
  const samplesOf = new Map<EncodeTarget, EncodeTarget>(
    samples.flatMap((target) => target.analyses.map((output) => [output, target])),
  );
  const fileOf = (part: EncodeTarget): LevelledFile => lookUp(files, samplesOf.get(part) ?? part);
  const judged = judgeStreams(
    source,
    others.flatMap(partsOf).map((part) => ({ plan: part.plan, streams: fileOf(part).streams })),
  );
  const found = await analyseSamples(samples, files, source, limits, job);
  for (const output of others) {
    if (output.package !== undefined) {
      const sheets = output.thumbnails && { thumbnails: lookUp(pictures, output.thumbnails) };
      made.set(output, { kind: 'package', encoded: output.package.parts.map(fileOf), ...sheets });
    } else if (isAnalysis(output)) {
      made.set(output, { kind: 'analysis', encoded: fileOf(output), found: lookUp(found, output) });
    } else {
      made.set(output, { kind: 'encoded', encoded: fileOf(output) });
    }
  }
  for (const output of outputs) {
    if (output.leftOut !== undefined) made.set(output, { kind: 'left_out', reason: output.leftOut });
    if (isSilentReport(output)) {
      made.set(output, { kind: 'report', seconds: await writeSilentReport(output.path, source) });
    }
  }
  return { outputs: made, source: judged };
}

/** Of an optional image. */
async function drawIfPossible(
  output: PlannedOutput & FilmImageTarget,
  source: Source,
  limits: MakeOptions['limits'],
  job: Work,
): Promise<MadeOutput> {
  try {
    const drawn = await makeFilmImages(planFilmImages([output], source.pictures, limits), limits, job);
    return { kind: 'image', image: lookUp(drawn, output) };
  } catch (error) {
    if (!saysOfSource(error, job.signal)) throw error;
    return { kind: 'left_out', reason: error };
  }
}

/** There is no sound that could be analysed. */
function isSilentReport({ plan: { analysis, audio } }: PlannedOutput): boolean {
  return analysis?.kind === 'report' && audio === undefined;
}

/** The files that are encoded for an output. */
function partsOf(output: PlannedOutput): EncodeTarget[] {
  return output.package?.parts ?? [output];
}

export function lookUp<Key, Value>(values: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = values.get(key);
  if (value === undefined) throw new Error('An output was not made');
  return value;
}
