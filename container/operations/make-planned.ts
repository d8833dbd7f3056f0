import { join } from 'node:path';
import type { SourceFacts } from '../../contract/http/encode.ts';
import type { AnalysisResult } from '../analysis/analysis.ts';
import { judgeStreams } from '../encode/completeness.ts';
import type { EncodeTarget } from '../encode/encoded-file.ts';
import { makeOutputs, type MakeOptions } from '../encode/make-outputs.ts';
import type { LevelledFile } from '../encode/loudness/encode-at-loudness.ts';
import type { Source } from '../encode/source.ts';
import { withEncodeShare } from '../encode/encode-share.ts';
import { isFilmImage, makeFilmImages, planFilmImages } from '../images/make-film-images.ts';
import type { FilmImage } from '../images/image-job.ts';
import { analyseSamples, checkSamples, isAnalysis, planSamples } from './analyse-samples.ts';
import type { PlannedOutput } from './plan-outputs.ts';

/** What became of an output, before it is verified. */
export type MadeOutput =
  | { kind: 'encoded'; encoded: LevelledFile }
  /** `encoded`: each of its parts, in their order. */
  | { kind: 'package'; encoded: LevelledFile[] }
  /** `encoded`: the samples that it was made of. */
  | { kind: 'analysis'; encoded: LevelledFile; found: AnalysisResult }
  | { kind: 'image'; image: FilmImage };

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
  const images = outputs.filter(isFilmImage);
  const others = outputs.filter((output) => !isFilmImage(output));
  const planned = planFilmImages(images, source.pictures, limits);
  const samples = planSamples(others.filter(isAnalysis), (index) => join(job.folder, `samples-${index}`));
  await checkSamples(samples, source.tracks, limits.maxOutputBytes);
  const share = images.length === 0 ? 0 : others.length === 0 ? 1 : imageShare;
  const drawn = await makeFilmImages(planned, limits, withEncodeShare(job, 0, share));
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
  const made = outputs.map((output): [PlannedOutput, MadeOutput] => {
    if (isFilmImage(output)) return [output, { kind: 'image', image: lookUp(drawn, output) }];
    if (output.package !== undefined) {
      return [output, { kind: 'package', encoded: output.package.parts.map(fileOf) }];
    }
    const encoded = fileOf(output);
    if (!isAnalysis(output)) return [output, { kind: 'encoded', encoded }];
    return [output, { kind: 'analysis', encoded, found: lookUp(found, output) }];
  });
  return { outputs: new Map(made), source: judged };
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
