import { join } from 'node:path';
import type { SourceFacts } from '../../contract/http/encode.ts';
import type { AnalysisResult } from '../analysis/analysis.ts';
import { judgeStreams } from '../encode/completeness.ts';
import type { EncodeTarget } from '../encode/encoded-file.ts';
import { makeOutputs, type MakeOptions } from '../encode/make-outputs.ts';
import type { LevelledFile } from '../encode/loudness/encode-at-loudness.ts';
import type { Source } from '../encode/source.ts';
import { analyseSamples, checkSamples, isAnalysis, planSamples } from './analyse-samples.ts';
import type { PlannedOutput } from './plan-outputs.ts';

/** What became of an output, before it is verified. */
export type MadeOutput =
  | { kind: 'encoded'; encoded: LevelledFile }
  /** `encoded`: the samples that it was made of. */
  | { kind: 'analysis'; encoded: LevelledFile; found: AnalysisResult };

interface Made {
  outputs: ReadonlyMap<PlannedOutput, MadeOutput>;
  source: SourceFacts;
}

/** Makes all outputs from one decode, and judges the source by what came of it. */
export async function makePlanned(
  outputs: readonly PlannedOutput[],
  source: Source,
  options: MakeOptions,
): Promise<Made> {
  const { limits, job } = options;
  const samples = planSamples(outputs.filter(isAnalysis), (index) => join(job.folder, `samples-${index}`));
  await checkSamples(samples, source.tracks, limits.maxOutputBytes);
  const encodedOutputs = outputs.filter((output) => !isAnalysis(output));
  const files = await makeOutputs(source, [...encodedOutputs, ...samples], options);
  const samplesOf = new Map<EncodeTarget, EncodeTarget>(
    samples.flatMap((target) => target.analyses.map((output) => [output, target])),
  );
  const fileOf = (output: PlannedOutput): LevelledFile => lookUp(files, samplesOf.get(output) ?? output);
  const judged = judgeStreams(
    source,
    outputs.map((output) => ({ plan: output.plan, streams: fileOf(output).streams })),
  );
  const found = await analyseSamples(samples, files, source.tracks, limits, job);
  const made = outputs.map((output): [PlannedOutput, MadeOutput] => {
    const encoded = fileOf(output);
    if (!isAnalysis(output)) return [output, { kind: 'encoded', encoded }];
    return [output, { kind: 'analysis', encoded, found: lookUp(found, output) }];
  });
  return { outputs: new Map(made), source: judged };
}

export function lookUp<Key, Value>(values: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = values.get(key);
  if (value === undefined) throw new Error('An output was not made');
  return value;
}
