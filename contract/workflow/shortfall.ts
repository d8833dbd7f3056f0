import type { ChunkOutcome } from '../provider-call.ts';

interface FailedChunks {
  failedChunks: number;
  totalChunks: number;
  /** Undefined if there are too many for a result. */
  chunks?: readonly Pick<ChunkOutcome, 'status' | 'error'>[] | undefined;
}

/** "2 of 10 chunks failed: unauthorized, timeout"; undefined if none failed. */
export function describeShortfall({ failedChunks, totalChunks, chunks = [] }: FailedChunks): string | undefined {
  if (failedChunks === 0) return undefined;
  const errors = new Set(chunks.flatMap(({ status, error = 'failed' }) => (status === 'failed' ? [error] : [])));
  const reasons = errors.size === 0 ? '' : `: ${[...errors].join(', ')}`;
  return `${failedChunks} of ${totalChunks} chunks failed${reasons}`;
}
