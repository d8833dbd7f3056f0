import { join } from 'node:path';
import { countChunks, planChunks, type PlannedChunk } from '../../contract/chunk-plan.ts';
import { chunkContainer, containers } from '../../contract/formats.ts';
import type { Chunk, ChunkResult, PackedChunkRequest, RequestedChunk } from '../../contract/http/chunk.ts';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import { packedItem, packedItems } from '../../contract/packed-list.ts';
import { isSameSource } from '../../contract/same-source.ts';
import { isCopyable } from '../../engine/chunk/cut.ts';
import { prepareCut, prepareFromSamples, steadySeconds, type PreparedCut } from '../../engine/chunk/prepare-cut.ts';
import { hasPlannedLength, writeChunks, type WrittenChunk } from '../../engine/chunk/write-chunks.ts';
import { sourceFacts } from '../../engine/verify/completeness.ts';
import { evenShapes } from '../../engine/source/even-shapes.ts';
import { joinSource } from '../../engine/source/joined-source.ts';
import { markWildSamples } from '../../engine/source/wild-samples.ts';
import type { EncodeLimits } from '../../engine/ffmpeg/limits.ts';
import { audioOf, openSource } from '../../engine/source/source.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { JobContext } from '../jobs/job.ts';
import { runPool, type PoolTask } from '../../engine/pool.ts';
import type { DeliverableFile } from '../transfer/delivery.ts';
import { singleTarget } from '../transfer/delivery-target.ts';
import { digestFile } from '../transfer/digest.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { keepRedirects, placesOfChunk } from './request-places.ts';
import { writeChunkList } from './write-chunk-list.ts';

/**
 * Cuts the whole source into overlapping chunks, without encoding if the codec's packets are fine enough
 * (docs/reference/chunks.md).
 */
export async function runChunkJob(
  request: PackedChunkRequest,
  transfer: MediaTransfer,
  limitsOfAll: EncodeLimits,
  job: JobContext,
): Promise<ChunkResult> {
  const limits = { ...limitsOfAll, writableFolder: job.folder };
  const input = join(job.fetchedFolder, 'input');
  const { list } = request;
  const count = request.chunks.ends.length;
  const { inputs, targets } = placesOfChunk(request);
  const kept = await transfer.keepInputs(inputs);
  await transfer.checkUploads(packedItems(request.chunks), job.signal);
  if (list !== undefined) await transfer.checkUploads([list], job.signal);
  const identity = await keepRedirects(transfer, targets, kept).download(request, input, job);
  const { sourceIdentity: expected } = request;
  if (expected !== undefined && !isSameSource(identity, expected)) throw otherSource(identity, expected);

  job.advance('probe', 0);
  const opened = await openSource(input, limits, job.signal);
  const joined = await joinSource(opened, limits, job);
  const user = 'A chunk job';
  const even = await evenShapes(joined, new Set([audioOf(joined, user)]), limits, job);
  const source = audioOf(await markWildSamples(even, new Set([audioOf(even, user)]), limits, job), user);
  const write = async (prepared: PreparedCut) => {
    const { totalSeconds } = prepared;
    const facts = sourceFacts(source, totalSeconds);
    const planned = planRequested(request, totalSeconds).filter(
      ({ index }) => packedItem(request.chunks, index)?.kept === undefined,
    );
    return {
      totalSeconds,
      facts,
      chunks: await writeChunks(planned, count - 1, prepared, source, limits, job),
    };
  };
  const found = await prepareCut(source, limits, job);
  const prepared = isCutAsFound(request, found) ? found : await prepareDecoded(request, found, source, limits, job);
  let written = await write(prepared);
  if (prepared.samples === undefined && !written.chunks.every(hasPlannedLength)) {
    // Packet times differ from playback times, for example after damage in ADTS, whose packets have no timestamps.
    job.log.info({ jobId: job.jobId }, 'Copied chunks do not have the right length; cutting decoded samples');
    written = await write(await prepareFromSamples(source, limits, job));
  }
  const { totalSeconds, facts, chunks } = written;
  const wrong = chunks.find((chunk) => !hasPlannedLength(chunk));
  if (wrong !== undefined) throw wrongLength(wrong);

  const checked = await digestChunks(
    chunks,
    request,
    containers[chunkContainer(source.codec)].contentType,
    limits,
    job,
  );
  const cut = new Map(checked.map(({ chunk }) => [chunk.index, chunk]));
  const result: ChunkResult = {
    success: true,
    jobId: job.jobId,
    totalChunks: count,
    totalDuration: roundToMilliseconds(totalSeconds),
    chunks: [...packedItems(request.chunks)].flatMap(
      ({ index, kept }) => cut.get(index) ?? (kept ? keptFacts(index, kept) : []),
    ),
    source: facts,
    identity,
  };
  const listed = list && (await writeChunkList(result, list, request.chunks, job));
  const files = checked.map(({ file }) => file);
  await transfer.uploadAll(listed === undefined ? files : [...files, listed.file], kept, job);
  return listed?.result ?? result;
}

/**
 * False if only decoded samples decide. Either a chunk cannot be copied, or the samples may need another number of chunks
 * than the timestamps. Only the samples' number is then refused, so that a corrected request succeeds.
 */
function isCutAsFound(request: PackedChunkRequest, { cut, totalSeconds }: PreparedCut): boolean {
  const { chunkDuration, overlapDuration } = request;
  const countAt = (seconds: number): number => countChunks(seconds, chunkDuration, overlapDuration);
  if (cut.kind !== 'copy') return true;
  if (countAt(totalSeconds) === request.chunks.ends.length) {
    return planChunks(totalSeconds, chunkDuration, overlapDuration).every((chunk) => isCopyable(chunk, cut));
  }
  return countAt(totalSeconds - steadySeconds) === countAt(totalSeconds + steadySeconds);
}

/** A source whose samples do not fit on the disk can still be copied, in the number of chunks of its timestamps. */
async function prepareDecoded(
  { chunks, chunkDuration, overlapDuration }: PackedChunkRequest,
  found: PreparedCut,
  ...[source, limits, job]: Parameters<typeof prepareFromSamples>
): Promise<PreparedCut> {
  try {
    return await prepareFromSamples(source, limits, job);
  } catch (error) {
    const isOtherCount = countChunks(found.totalSeconds, chunkDuration, overlapDuration) !== chunks.ends.length;
    if (isOtherCount && error instanceof MediaError && error.code === 'disk_full') return found;
    throw error;
  }
}

/** Plans the chunks. Throws if the request names another number of chunks. */
function planRequested(request: PackedChunkRequest, totalSeconds: number): PlannedChunk[] {
  const { chunkDuration, overlapDuration } = request;
  const needed = countChunks(totalSeconds, chunkDuration, overlapDuration);
  const given = request.chunks.ends.length;
  if (needed === given) return planChunks(totalSeconds, chunkDuration, overlapDuration);
  throw new MediaError(
    'chunk_count_mismatch',
    `The source of ${totalSeconds.toFixed(3)} s needs ${needed} chunks, and the request names ${given}.`,
    { details: { needed, given, duration: roundToMilliseconds(totalSeconds) } },
  );
}

function keptFacts(index: number, kept: NonNullable<RequestedChunk['kept']>): Chunk {
  const { start, duration, size, sha256 } = kept;
  return { index, start, duration, size, sha256 };
}

function otherSource(actual: SourceIdentity, expected: SourceIdentity): MediaError {
  return new MediaError(
    'checksum_mismatch',
    'The kept chunks were cut from another source, or nothing shows that it is the same. Cut all chunks again.',
    { details: { expected, actual } },
  );
}

function wrongLength({ planned: { index, duration }, duration: actual }: WrittenChunk): MediaError {
  return new MediaError(
    'output_invalid',
    `Chunk ${index} is ${actual.toFixed(3)} s long instead of ${duration.toFixed(3)} s. Nothing was uploaded.`,
    { details: { index } },
  );
}

async function digestChunks(
  chunks: readonly WrittenChunk[],
  request: PackedChunkRequest,
  contentType: string,
  limits: EncodeLimits,
  job: JobContext,
): Promise<{ file: DeliverableFile; chunk: Chunk }[]> {
  let done = 0;
  const showProgress = (): void => job.advance('verify', done / chunks.length);
  const tasks = chunks.map(
    ({ path, duration, planned: { index, start } }): PoolTask<{ file: DeliverableFile; chunk: Chunk }> =>
      async (signal) => {
        const digest = await digestFile(path, signal, showProgress);
        done += 1;
        showProgress();
        const target = singleTarget(packedItem(request.chunks, index) ?? {});
        return {
          // The list has the same group, so that it is stored last.
          file: { path, target, contentType, digest, output: index, name: '', group: 0 },
          chunk: {
            index,
            start: roundToMilliseconds(start),
            duration: roundToMilliseconds(duration),
            size: digest.size,
            sha256: digest.sha256,
          },
        };
      },
  );
  return await runPool(tasks, limits.encodeParallelism, job.signal);
}
