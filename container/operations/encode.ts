import { join } from 'node:path';
import type { EncodeRequest, EncodeResult, EncodedOutput } from '../../contract/http/encode.ts';
import { encodeOutputs } from '../encode/encode-outputs.ts';
import { contentTypeOf, planOutput, type OutputPlan } from '../encode/output-plan.ts';
import { undecodable } from '../ffmpeg/failure.ts';
import { checkNotTruncated, openSource } from '../encode/source.ts';
import { verifyOutput } from '../encode/verify.ts';
import type { JobContext } from '../jobs/registry.ts';
import { digestFile } from '../transfer/digest.ts';
import type { UploadFile } from '../transfer/upload.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import type { ParallelLimits } from '../encode/segmented/encode.ts';

export type JobLimits = ParallelLimits;

interface PlannedOutput {
  plan: OutputPlan;
  path: string;
  uploadUrl: string;
}

function describe(plan: OutputPlan, file: UploadFile, duration: number): Pick<EncodedOutput, 'bitrate' | 'size'> {
  const { size } = file.digest;
  return { size, bitrate: plan.bitrate ?? Math.round((size * 8) / 1000 / duration) };
}

/** Contract 1.3, from the source's URL to the stored files: nothing is uploaded before every output has been checked. */
export async function runEncodeJob(
  request: EncodeRequest,
  transfer: MediaTransfer,
  limits: JobLimits,
  job: JobContext,
): Promise<EncodeResult> {
  const input = join(job.folder, 'input');
  await transfer.checkUploads(request.outputs.map(({ uploadUrl }) => uploadUrl));
  await transfer.download(request.sourceUrl, request.sourceSha256, input, job);

  job.advance('probe', 0);
  const source = await openSource(input, limits, job.signal);
  const outputs = request.outputs.map((wish, index): PlannedOutput => ({
    plan: planOutput(wish, source),
    path: join(job.folder, `output-${index}`),
    uploadUrl: wish.uploadUrl,
  }));

  job.advance('encode', 0);
  const encodeParallelism = request.parallel === false ? 1 : limits.encodeParallelism;
  const made = await encodeOutputs(source, outputs, { ...limits, encodeParallelism }, job);
  const decodedSeconds = Math.max(...made.map(({ seconds }) => seconds));
  if (decodedSeconds === 0) throw undecodable();
  checkNotTruncated(source, decodedSeconds);

  const verified = [];
  for (const [index, { plan, path, uploadUrl }] of outputs.entries()) {
    job.advance('verify', index / outputs.length);
    const facts = await verifyOutput(path, plan, made[index]?.seconds ?? 0, job.signal);
    const digest = await digestFile(path, job.signal, () => job.advance('verify', index / outputs.length));
    const file: UploadFile = { path, uploadUrl, contentType: contentTypeOf(plan.codec), digest };
    const { duration, channels, sampleRate } = facts;
    const { bitrate, size } = describe(plan, file, duration);
    const output: EncodedOutput = {
      format: plan.format,
      bitrate,
      size,
      duration: roundToMilliseconds(duration),
      channels,
      sampleRate,
      sha256: digest.sha256,
      segments: made[index]?.segments,
      seams: made[index]?.seams,
    };
    verified.push({ file, output });
  }

  await transfer.uploadAll(
    verified.map(({ file }) => file),
    job,
  );
  const { channels, sampleRate, bitrate } = source;
  return {
    success: true,
    jobId: job.jobId,
    outputs: verified.map(({ output }) => output),
    source: { duration: roundToMilliseconds(decodedSeconds), channels, sampleRate, bitrate },
  };
}

export function roundToMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
