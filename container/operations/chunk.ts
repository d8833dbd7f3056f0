import { join } from 'node:path';
import { planChunks, type PlannedChunk } from '../../contract/chunk-plan.ts';
import { chunkContainer, containers } from '../../contract/formats.ts';
import type { Chunk, ChunkRequest, ChunkResult } from '../../contract/http/chunk.ts';
import { ServiceError } from '../errors.ts';
import { chunkOptions, chunkSampleFormat, cutToleranceSeconds, planCut, type Cut } from '../chunk/cut.ts';
import { noSound, undecodable } from '../ffmpeg/failure.ts';
import { measureSeconds, measureWithHoles } from '../ffmpeg/measure.ts';
import { measureLongestPacket } from '../ffmpeg/probe.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import { sourceFacts } from '../encode/completeness.ts';
import type { EncodeLimits } from '../encode/limits.ts';
import { joinSource } from '../encode/joined-source.ts';
import { stopAtLimit } from '../encode/limited-run.ts';
import { RawSamples, rawShapeOf } from '../encode/raw-samples.ts';
import { sourceTooLong } from '../encode/source-limits.ts';
import { audioOf, openSource, type AudioSource } from '../encode/source.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import type { JobContext } from '../jobs/job.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import { runPool, type PoolTask } from '../pool.ts';
import { digestFile } from '../transfer/digest.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import type { DeliverableFile } from '../transfer/delivery.ts';
import { singleTarget } from '../transfer/delivery-target.ts';

/** The whole source in overlapping pieces, cut without encoding where the codec's packets are fine enough (docs/contract.md, "Chunk"). */
export async function runChunkJob(
  request: ChunkRequest,
  transfer: MediaTransfer,
  limits: EncodeLimits,
  job: JobContext,
): Promise<ChunkResult> {
  const input = join(job.folder, 'input');
  await transfer.checkUploads(request.chunks, job.signal);
  await transfer.download(request, input, job);

  job.advance('probe', 0);
  const opened = await openSource(input, limits, job.signal);
  const source = audioOf(await joinSource(opened, limits, job), 'A chunk job');
  const { totalSeconds, cut, samples } = await prepareCut(source, limits, job);
  if (totalSeconds === 0) throw noSound();
  if (totalSeconds > limits.maxSourceDurationSeconds) throw sourceTooLong(limits);
  const sourceAnswer = sourceFacts(source, totalSeconds);
  const planned = planChunks(totalSeconds, request.chunkDuration, request.overlapDuration);
  if (planned.length !== request.chunks.length) {
    throw new ServiceError(
      'chunk_count_mismatch',
      `The source of ${totalSeconds.toFixed(3)} s needs ${planned.length} chunks, and the request names ${request.chunks.length}.`,
      {
        details: { needed: planned.length, given: request.chunks.length, duration: roundToMilliseconds(totalSeconds) },
      },
    );
  }

  const pathOf = ({ index }: PlannedChunk): string => join(job.folder, `chunk-${index}`);
  let done = 0;
  const write = async (chunk: PlannedChunk, signal: AbortSignal): Promise<void> => {
    const isLast = chunk.index === planned.length - 1;
    const options = chunkOptions(chunk, isLast, cut);
    const toSample = (seconds: number): number => Math.round(seconds * source.sampleRate);
    const part = await samples?.part(
      toSample(chunk.start),
      isLast ? undefined : toSample(chunk.start + chunk.duration),
      signal,
    );
    await runFfmpeg({
      ...(part ?? { input: source.path, inputOptions: [...decodeGuards, ...options.input] }),
      outputs: [{ path: pathOf(chunk), options: options.output }],
      limits,
      signal,
      onProgress: ({ speed }) => job.advance('chunk', undefined, speed),
    });
    done += 1;
    job.advance('chunk', done / planned.length);
  };
  const inPool = async <Result>(
    work: (chunk: PlannedChunk, signal: AbortSignal) => ReturnType<PoolTask<Result>>,
  ): Promise<Result[]> => {
    const tasks = planned.map(
      (chunk): PoolTask<Result> =>
        (signal) =>
          work(chunk, signal),
    );
    return await runPool(tasks, limits.encodeParallelism, job.signal);
  };
  job.advance('chunk', 0);
  await inPool(write);

  let checked = 0;
  const { contentType } = containers[chunkContainer(source.codec)];
  const check = async (chunk: PlannedChunk, signal: AbortSignal): Promise<{ file: DeliverableFile; facts: Chunk }> => {
    const path = pathOf(chunk);
    const duration = await measureSeconds(path, { limits, signal });
    if (Math.abs(duration - chunk.duration) > 2 * cutToleranceSeconds) {
      throw new ServiceError(
        'output_invalid',
        `Chunk ${chunk.index} came out ${duration.toFixed(3)} s long instead of ${chunk.duration.toFixed(3)} s. Nothing was uploaded.`,
        { details: { index: chunk.index } },
      );
    }
    const digest = await digestFile(path, signal, () => job.advance('verify', checked / planned.length));
    checked += 1;
    job.advance('verify', checked / planned.length);
    const { index } = chunk;
    return {
      file: { path, target: singleTarget(request.chunks[index] ?? {}), contentType, digest, output: index, name: '' },
      facts: {
        index: chunk.index,
        start: roundToMilliseconds(chunk.start),
        duration: roundToMilliseconds(duration),
        size: digest.size,
        sha256: digest.sha256,
      },
    };
  };
  const checkedChunks = await inPool(check);

  await transfer.uploadAll(
    checkedChunks.map(({ file }) => file),
    job,
  );
  return {
    success: true,
    jobId: job.jobId,
    totalChunks: planned.length,
    totalDuration: roundToMilliseconds(totalSeconds),
    chunks: checkedChunks.map(({ facts }) => facts),
    source: sourceAnswer,
  };
}

/** Fractions of a packet, of the decoder's delay and of the muxer's rounding are no holes, and cannot be heard. */
const steadySeconds = 0.05;

/** Lossless sources have the length that they tell, to the sample; this is for the rounding. */
const exactSeconds = 0.001;

/** Between the first and the last time stamp of a source, and what is decoded of it. */
const mostDriftSeconds = 0.5;

interface PreparedCut {
  totalSeconds: number;
  cut: Cut;
  /** where no place in the source can be sought */
  samples?: RawSamples;
}

/** Reads the whole source once or twice: decoding alone tells how long it is, and whether its time runs on without a jump. */
async function prepareCut(source: AudioSource, limits: EncodeLimits, job: JobContext): Promise<PreparedCut> {
  const { path, leadSeconds, estimatedSeconds = Infinity, declaredSeconds } = source;
  const onProgress = (seconds: number): void => job.advance('probe', seconds / estimatedSeconds);
  const packetSeconds = await measureLongestPacket(path, job.signal);
  const cut = planCut(source, packetSeconds, true);
  if (cut.kind === 'copy' || cut.entry === 'seek') {
    const { seconds, soundSeconds } = await measureWithHoles(path, {
      ...{ sourceTime: source, limits },
      ...stopAtLimit(limits, job.signal, onProgress),
    });
    const isWhole =
      cut.kind === 'copy' || declaredSeconds === undefined || Math.abs(soundSeconds - declaredSeconds) < exactSeconds;
    // Files of a transport stream that were joined: ffmpeg goes on where time begins again, and finds no place by its time.
    const jumps =
      source.formatName === 'mpegts' && Math.abs(soundSeconds + leadSeconds - estimatedSeconds) > mostDriftSeconds;
    if (isWhole && !jumps && Math.abs(seconds - soundSeconds) < steadySeconds) return { totalSeconds: seconds, cut };
  }
  const shape = rawShapeOf(source, chunkSampleFormat(source));
  if (shape === undefined) throw undecodable();
  const samples = new RawSamples(join(job.folder, 'samples'), source, shape, limits.maxOutputBytes);
  const count = await samples.decode(limits, job.signal, onProgress);
  return { totalSeconds: count / source.sampleRate, cut: planCut(source, packetSeconds, false), samples };
}
