import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodeRequest, EncodeResult } from '../../contract/http/encode.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';
import type { LevelledFile } from '../encode/loudness/encode-at-loudness.ts';
import { makeOutputs } from '../encode/make-outputs.ts';
import type { EncodeTarget } from '../encode/encoded-file.ts';
import { joinSource } from '../encode/joined-source.ts';
import { planOutput, settleOutput } from '../encode/output-plan.ts';
import type { Presets } from '../../contract/presets.ts';
import type { EncodeLimits, PictureLimits } from '../encode/limits.ts';
import { judgeStreams } from '../encode/completeness.ts';
import { countWhereNeeded } from '../encode/count-samples.ts';
import { openSource } from '../encode/source.ts';
import { planTags, sourceCovers } from '../encode/tags/output-tags.ts';
import { planWrittenMetadata } from '../encode/tags/written-metadata.ts';
import { openPictures } from '../encode/video/open-pictures.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import type { DeliverableFile } from '../transfer/delivery.ts';
import { singleTarget } from '../transfer/delivery-target.ts';
import type { SegmentedCounters } from '../encode/segmented/counters.ts';
import {
  analyseSamples,
  checkSamples,
  planSamples,
  type PlannedAnalysis,
  type SamplesTarget,
} from './analyse-samples.ts';
import { finishAnalysis, finishEncoded, type PlannedOutput, type TaggedOutput, tagOutput } from './finish-output.ts';
import { fetchLinkedTags } from './linked-tags.ts';
import { fetchWatermarks } from './linked-watermarks.ts';

interface EncodeDeps {
  transfer: MediaTransfer;
  limits: EncodeLimits & PictureLimits;
  counters: SegmentedCounters;
  presets: Presets;
}

/** An output that is what its plan says, with its file to upload. */
interface FinishedOutput {
  facts: EncodedOutput;
  file: DeliverableFile;
}

/** From the source's URL to the stored files (docs/contract.md, "Encode"): nothing is uploaded before every output has been checked. */
export async function runEncodeJob(
  request: EncodeRequest,
  { transfer, limits, counters, presets }: EncodeDeps,
  job: JobContext,
): Promise<EncodeResult> {
  const input = join(job.folder, 'input');
  const settings = request.outputs.map((output) => settleOutput(output, presets));
  await transfer.checkUploads(request.outputs, job.signal);
  const linked = await fetchLinkedTags(
    settings.map(({ tags }) => tags),
    transfer,
    limits,
    job,
  );
  const watermarkOf = await fetchWatermarks(settings, transfer, limits, job);
  const identity = await transfer.download(request, input, job);

  job.advance('probe', 0);
  const joined = await joinSource(await openSource(input, limits, job.signal), limits, job);
  const timed = await openPictures(joined, settings, job.signal);
  const source = await countWhereNeeded(timed, settings, limits, job);
  const covers = sourceCovers(input, source.tags.picture, limits, job);
  const outputs: PlannedOutput[] = [];
  for (const [index, output] of settings.entries()) {
    const plan = planOutput(output, source, watermarkOf(output));
    const tags = await planTags(output.tags, source, plan.audio, covers, linked);
    outputs.push({
      plan: { ...plan, metadata: planWrittenMetadata(tags, plan, output.tags, source.tracks) },
      tags,
      path: join(job.folder, `output-${index}`),
      target: singleTarget(request.outputs[index] ?? {}),
    });
  }

  const encodeParallelism = request.parallel === false ? 1 : limits.encodeParallelism;
  const samples = planSamples(outputs.flatMap(plannedAnalysis), (index) => join(job.folder, `samples-${index}`));
  await checkSamples(samples, source.tracks, limits.maxOutputBytes);
  const encoded = outputs.filter(({ plan }) => plan.analysis === undefined);
  const targets = [...encoded, ...samples];
  const files = await makeOutputs(source, targets, { limits: { ...limits, encodeParallelism }, counters, job });
  const made = outputs.map((output) => madeFor(output, targets, files));
  const sourceAnswer = judgeStreams(
    source,
    outputs.map(({ plan }) => plan),
    made,
  );
  const analysed = await analyseSamples(samples, files.slice(encoded.length), source.tracks, limits, job);

  const tagged: TaggedOutput[] = [];
  const encodedBytes: number[] = [];
  for (const [index, output] of outputs.entries()) {
    const { audio, video } = made[index]?.streams ?? {};
    const seconds = Math.max(audio?.seconds ?? 0, video?.seconds ?? 0);
    encodedBytes.push((await stat(output.path)).size);
    const isAnalysis = output.plan.analysis !== undefined;
    tagged.push(isAnalysis ? {} : await tagOutput(output, seconds, () => job.advance('verify', 0)));
    transfer.checkSize(output.target, (await stat(output.path)).size);
  }
  const finished: FinishedOutput[] = [];
  for (const [index, output] of outputs.entries()) {
    const advance = (): void => job.advance('verify', index / outputs.length);
    advance();
    const { streams, segments, seams, loudness } = made[index] ?? notMade();
    const analysis = analysed.get(output.path);
    const { facts, contentType, digest } =
      analysis === undefined
        ? await finishEncoded(output, streams, encodedBytes[index] ?? 0, job.signal, advance)
        : await finishAnalysis(output, streams, analysis, job.signal, advance);
    const { target, path } = output;
    finished.push({
      facts: { ...facts, ...tagged[index], loudness, ...(analysis === undefined && { segments, seams }) },
      file: { target, path, contentType, digest, output: index, name: '' },
    });
  }

  await transfer.uploadAll(
    finished.map(({ file }) => file),
    job,
  );
  return {
    success: true,
    jobId: job.jobId,
    outputs: finished.map(({ facts }) => facts),
    source: sourceAnswer,
    identity,
  };
}

function plannedAnalysis({ plan, path }: PlannedOutput): PlannedAnalysis[] {
  return plan.analysis === undefined ? [] : [{ plan, path, settings: plan.analysis }];
}

/** What the encoders made for an output: its file, or the samples that it is to be made of. */
function madeFor(
  { path }: PlannedOutput,
  targets: readonly (EncodeTarget | SamplesTarget)[],
  files: readonly LevelledFile[],
): LevelledFile {
  const place = targets.findIndex((target) =>
    'analyses' in target ? target.analyses.some((analysis) => analysis.path === path) : target.path === path,
  );
  return files[place] ?? notMade();
}

function notMade(): never {
  throw new Error('An output was not made');
}
