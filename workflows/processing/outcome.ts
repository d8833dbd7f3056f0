import { ApplicationFailure } from '@temporalio/workflow';
import { failureType } from '../../contract/error-codes.ts';
import type { ChunkOutcome } from '../../contract/provider-call.ts';
import type { ProcessedChunk, ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { type ChunkTask, newChunkTask } from '../chunks/chunk-task.ts';
import type { CutChunk } from './cut-source.ts';

/** Completed chunks stay completed; failed chunks get all their attempts again. */
export function resumedTask({ status, attempts, provider }: ProcessedChunk): ChunkTask {
  return status === 'failed'
    ? newChunkTask
    : { kind: 'completed', attempts: attempts ?? 1, ...(provider !== undefined && { provider }) };
}

export function cutChunk({ index, start, duration, size, sha256, url }: ProcessedChunk): CutChunk {
  return { index, start, duration, size, sha256, url };
}

export function chunkOutcome(
  index: number,
  task: ChunkTask | undefined,
): ChunkOutcome & Pick<ProcessedChunk, 'status'> {
  if (task === undefined || task.kind === 'open') {
    throw ApplicationFailure.nonRetryable(`Chunk ${index} was not processed`, failureType('internal'));
  }
  const { attempts, provider } = task;
  const common = { attempts, ...(provider !== undefined && { provider }) };
  return task.kind === 'completed'
    ? { status: 'completed', ...common }
    : { status: 'failed', ...common, error: task.error, message: task.message };
}

export function countCompleted(chunks: readonly ChunkOutcome[]): number {
  return chunks.filter(({ status }) => status === 'completed').length;
}

export function outcomeStatus(chunks: readonly ChunkOutcome[]): ProcessingOutcome['status'] {
  const completed = countCompleted(chunks);
  if (completed === chunks.length) return 'completed';
  return completed === 0 ? 'failed' : 'partial';
}
