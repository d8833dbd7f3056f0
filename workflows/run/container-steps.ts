import { ApplicationFailure } from '@temporalio/workflow';
import type { AttemptState, ChunkActivityInput, EncodeActivityInput, FailedAttempt } from '../../contract/activity.ts';
import { chunkListName, chunkUrl, countChunks, maxChunks, maxInlineListBytes } from '../../contract/chunk-plan.ts';
import { isUnchanged, type Unchanged } from '../../contract/earlier-chunks.ts';
import type { Chunk } from '../../contract/http/chunk.ts';
import type { EncodeResult } from '../../contract/http/encode.ts';
import { jsonBytes } from '../../contract/payload-size.ts';
import { containerActivities } from '../proxies.ts';
import { formatsOf } from '../status/subject.ts';
import { chunksProblem, outputsProblem, refuseResult } from './result-problems.ts';
import type { Step } from './step.ts';

export interface CutChunks {
  totalChunks: number;
  totalDuration: number;
  /** Missing when the list is too long for a history. `url` is set if Holdfast named the files; it is never presigned. */
  chunks?: (Chunk & { url?: string })[];
  chunksUrl?: string;
}

export function encodeStep(
  request: EncodeActivityInput,
  { verb, share }: Pick<Step, 'verb' | 'share'>,
): Step<Pick<EncodeResult, 'outputs' | 'source' | 'identity'>> {
  const formats = formatsOf(request.outputs);
  return {
    id: 'encode',
    verb,
    share,
    subject: `format ${formats}`,
    summary: `encode ${formats}`,
    targets: request.outputs.map(({ uploadUrl, uploadUrlPrefix = '' }) => uploadUrl ?? { prefix: uploadUrlPrefix }),
    submit: (summary, context, priority) =>
      containerActivities(priority).encode.executeWithOptions({ summary }, [request, context]),
    resultOf(result) {
      if (!('outputs' in result)) throw unexpectedResult('encode');
      const { outputs, source, identity } = result;
      refuseResult('encode', outputsProblem(request.outputs, outputs));
      return { outputs, source, ...(identity !== undefined && { identity }) };
    },
  };
}

export function chunkStep(request: ChunkActivityInput, { verb, share }: Pick<Step, 'verb' | 'share'>): Step<CutChunks> {
  const { chunkDuration, uploadUrlPrefix: prefix } = request;
  return {
    id: 'chunk',
    verb,
    share,
    subject: `${chunkDuration}s chunks`,
    summary: `cut into ${chunkDuration} s chunks`,
    submit: (summary, context, priority) =>
      containerActivities(priority).chunk.executeWithOptions({ summary }, [request, context]),
    resultOf(result, state) {
      if (!('totalChunks' in result)) throw unexpectedResult('chunk');
      const { totalChunks, totalDuration, list } = result;
      const { probed } = state;
      refuseResult('chunk', chunksProblem(result, chunkCountOf(request, state)));
      const urlOf = (index: number) =>
        prefix === undefined ? {} : { url: chunkUrl(prefix, index, probed?.codec ?? '') };
      const chunks = result.chunks?.map((chunk) => ({ ...chunk, ...urlOf(chunk.index) }));
      const isListed = prefix !== undefined && list !== undefined;
      // Without a stored list, the result is the only record of the chunks.
      const isInline = chunks !== undefined && !(isListed && jsonBytes(chunks) > maxInlineListBytes);
      return {
        totalChunks,
        totalDuration,
        ...(isInline && { chunks }),
        ...(isListed && { chunksUrl: `${prefix}${chunkListName}` }),
      };
    },
    amend: (failed) => (prefix === undefined ? undefined : withContainersCount(request, failed)),
  };
}

/** Lets the step end without work when the container reports that nothing has changed. */
export function orUnchanged<Result>(step: Step<Result>): Step<Result | Unchanged> {
  return {
    ...step,
    resultOf: (result, state) => (isUnchanged(result) ? result : step.resultOf(result, state)),
  };
}

/** If the container's chunk count differs from the planned count, the container's count applies. */
function withContainersCount(
  { chunkDuration, overlapDuration }: ChunkActivityInput,
  { code, details, state }: FailedAttempt,
): AttemptState | undefined {
  const needed = details?.['needed'];
  const { probed } = state;
  if (code !== 'chunk_count_mismatch' || probed === undefined) return undefined;
  if (typeof needed !== 'number' || !Number.isInteger(needed) || needed <= 0 || needed > maxChunks) return undefined;
  const planned = chunkCountOf({ chunkDuration, overlapDuration }, state);
  return needed === planned ? undefined : { ...state, chunkCount: needed };
}

/** Number of chunks that the container was asked for; undefined if only the container knows it. */
function chunkCountOf(
  {
    chunks,
    keep,
    chunkDuration,
    overlapDuration,
  }: Pick<ChunkActivityInput, 'chunks' | 'keep' | 'chunkDuration' | 'overlapDuration'>,
  { chunkCount, probed }: AttemptState,
): number | undefined {
  if (chunks !== undefined || chunkCount !== undefined) return chunks?.length ?? chunkCount;
  // The activity decides whether it keeps the earlier chunks or cuts all of them again.
  if (keep !== undefined || probed === undefined) return undefined;
  return countChunks(probed.durationSeconds, chunkDuration, overlapDuration);
}

function unexpectedResult(kind: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `The container answered ${kind} with the result of another job`,
    'UnexpectedReply',
  );
}
