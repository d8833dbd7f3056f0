import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { containers } from '../../contract/formats.ts';
import type { EncodeRequest, EncodeResult } from '../../contract/http/encode.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';
import { encodeAtLoudness } from '../encode/loudness/encode-at-loudness.ts';
import type { EncodedStreams } from '../encode/encoded-file.ts';
import { joinSource } from '../encode/joined-source.ts';
import { planOutput, settleOutput, type OutputPlan } from '../encode/output-plan.ts';
import type { Presets } from '../../contract/presets.ts';
import type { EncodeLimits } from '../encode/limits.ts';
import { judgeTracks } from '../encode/completeness.ts';
import { countWhereNeeded } from '../encode/count-samples.ts';
import { openSource } from '../encode/source.ts';
import { cutTags, planTags, settleTags, sourceCovers, type TagPlan } from '../encode/tags/output-tags.ts';
import { verifyOutput } from '../encode/verify.ts';
import { tagFile } from '../formats/tags/tag-file.ts';
import type { JobContext } from '../jobs/job.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import { digestFile } from '../transfer/digest.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import type { DeliverableFile } from '../transfer/delivery.ts';
import { singleTarget, type DeliveryTarget } from '../transfer/delivery-target.ts';
import type { SegmentedCounters } from '../encode/segmented/counters.ts';
import { fetchLinkedTags } from './linked-tags.ts';

interface PlannedOutput {
  plan: OutputPlan;
  tags: TagPlan;
  path: string;
  /** Undefined where it is asked for when the file is ready. */
  target: DeliveryTarget | undefined;
}

interface EncodeDeps {
  transfer: MediaTransfer;
  limits: EncodeLimits;
  counters: SegmentedCounters;
  presets: Presets;
}

/** An output that is what its plan says, with the files to upload: one, or for a package several. */
interface FinishedOutput {
  facts: EncodedOutput;
  files: DeliverableFile[];
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
  const identity = await transfer.download(request, input, job);

  job.advance('probe', 0);
  const joined = await joinSource(await openSource(input, limits, job.signal), limits, job);
  const source = await countWhereNeeded(joined, settings, limits, job);
  const covers = sourceCovers(input, source.tags.picture, limits, job);
  const outputs: PlannedOutput[] = [];
  for (const [index, output] of settings.entries()) {
    const plan = planOutput(output, source);
    outputs.push({
      plan,
      tags: await planTags(output.tags, source, plan.audio, covers, linked),
      path: join(job.folder, `output-${index}`),
      target: singleTarget(request.outputs[index] ?? {}),
    });
  }

  const encodeParallelism = request.parallel === false ? 1 : limits.encodeParallelism;
  const made = await encodeAtLoudness(source, outputs, { ...limits, encodeParallelism }, counters, job);
  const sourceAnswer = judgeTracks(
    source,
    outputs.map(({ plan }) => plan),
    made,
  );

  const finished: FinishedOutput[] = [];
  const tagged: TaggedOutput[] = [];
  const encodedBytes: number[] = [];
  for (const [index, output] of outputs.entries()) {
    const seconds = made[index]?.streams.audio?.seconds ?? 0;
    encodedBytes.push((await stat(output.path)).size);
    tagged.push(await tagOutput(output, seconds, () => job.advance('verify', 0)));
    transfer.checkSize(output.target, (await stat(output.path)).size);
  }
  for (const [index, output] of outputs.entries()) {
    const advance = (): void => job.advance('verify', index / outputs.length);
    advance();
    const { streams = {}, segments, seams, loudness } = made[index] ?? {};
    const { facts, file } = await finishOutput(output, streams, encodedBytes[index] ?? 0, job.signal, advance);
    finished.push({
      facts: { ...facts, ...tagged[index], loudness, segments, seams },
      files: [{ ...file, output: index, name: '' }],
    });
  }

  await transfer.uploadAll(
    finished.flatMap(({ files }) => files),
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

type TaggedOutput = Pick<EncodedOutput, 'chapters' | 'cover'>;

/** Before it is verified, so that what is verified is what is uploaded. */
async function tagOutput(
  { plan, tags, path }: PlannedOutput,
  seconds: number,
  advance: () => void,
): Promise<TaggedOutput> {
  const cut = plan.audio?.cut;
  const placed = cut === undefined ? tags : cutTags(tags, cut);
  const settled = settleTags(placed, plan.container, { from: 0, to: seconds });
  if (settled === undefined) return {};
  await tagFile(plan.container, path, settled, advance);
  const { chapters, cover } = settled;
  return {
    ...(chapters.length > 0 && { chapters: chapters.length }),
    ...(cover !== undefined && { cover: { width: cover.width, height: cover.height, size: cover.bytes.length } }),
  };
}

async function finishOutput(
  { plan, path, target }: PlannedOutput,
  encoded: EncodedStreams,
  encodedBytes: number,
  signal: AbortSignal,
  advance: () => void,
): Promise<{ facts: EncodedOutput; file: Omit<DeliverableFile, 'output' | 'name'> }> {
  const { duration, streams } = await verifyOutput(path, plan, encoded, signal);
  const digest = await digestFile(path, signal, advance);
  const { size, sha256 } = digest;
  // Of the sound: a cover takes as many bytes as minutes of it.
  const averageBitrate = Math.round((encodedBytes * 8) / 1000 / duration);
  const audio = streams.find(({ kind }) => kind === 'audio');
  const facts: EncodedOutput = {
    ...plan.named,
    container: plan.container,
    bitrate: audio?.bitrate ?? averageBitrate,
    size,
    duration: roundToMilliseconds(duration),
    ...(audio !== undefined && { channels: audio.channels, sampleRate: audio.sampleRate }),
    streams,
    sha256,
  };
  return { facts, file: { target, path, contentType: containers[plan.container].contentType, digest } };
}
