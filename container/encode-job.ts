import { join } from 'node:path';
import type { EncodeRequest, EncodeResult, EncodedOutput } from '../contract/encode.ts';
import { contentTypeOf, encodeOptions, planOutput, type OutputPlan } from './ffmpeg/format.ts';
import { undecodable } from './ffmpeg/failure.ts';
import { runFfmpeg } from './ffmpeg/run.ts';
import { checkNotTruncated, openSource, sourceTooLong, type Source } from './ffmpeg/source.ts';
import { verifyOutput } from './ffmpeg/verify.ts';
import { decodeGuards } from './ffmpeg/whitelist.ts';
import type { JobContext } from './jobs.ts';
import { digestFile } from './media/digest.ts';
import type { UploadFile } from './media/upload.ts';
import type { MediaTransfer } from './media/transfer.ts';
import type { SourceLimits } from './ffmpeg/source.ts';

export interface JobLimits extends SourceLimits {
  stallTimeoutSeconds: number;
}

interface PlannedOutput {
  plan: OutputPlan;
  path: string;
  uploadUrl: string;
}

/** One decode of the source, one encoder for each output. Answers the seconds that went into each encoder. */
async function encode(
  source: Source,
  outputs: readonly PlannedOutput[],
  limits: JobLimits,
  job: JobContext,
): Promise<number[]> {
  const overlong = new AbortController();
  const { encodedSamples } = await runFfmpeg({
    input: source.path,
    inputOptions: decodeGuards,
    outputs: outputs.map(({ plan, path }) => ({ path, options: encodeOptions(plan) })),
    stallTimeoutSeconds: limits.stallTimeoutSeconds,
    signal: AbortSignal.any([job.signal, overlong.signal]),
    onProgress({ mediaSeconds, speed }) {
      // A header may lie about hours of silence in kilobytes.
      if (mediaSeconds > limits.maxSourceDurationSeconds) overlong.abort(sourceTooLong(limits));
      const whole = source.estimatedSeconds;
      job.advance('encode', whole === undefined ? undefined : mediaSeconds / whole, speed);
    },
  });
  return outputs.map(({ plan }, index) => (encodedSamples.get(index) ?? 0) / plan.sampleRate);
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
  await transfer.fetch(request.sourceUrl, request.sourceSha256, input, job);

  job.advance('probe', 0);
  const source = await openSource(input, limits, job.signal);
  const outputs = request.outputs.map((wish, index): PlannedOutput => ({
    plan: planOutput(wish, source),
    path: join(job.folder, `output-${index}`),
    uploadUrl: wish.uploadUrl,
  }));

  job.advance('encode', 0);
  const encodedSeconds = await encode(source, outputs, limits, job);
  const decodedSeconds = Math.max(...encodedSeconds);
  if (decodedSeconds === 0) throw undecodable();
  checkNotTruncated(source, decodedSeconds);

  const verified = [];
  for (const [index, { plan, path, uploadUrl }] of outputs.entries()) {
    job.advance('verify', index / outputs.length);
    const facts = await verifyOutput(path, plan, encodedSeconds[index] ?? 0, job.signal);
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
