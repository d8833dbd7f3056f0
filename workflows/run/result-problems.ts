import { ApplicationFailure, patched } from '@temporalio/workflow';
import type { EncodeActivityInput } from '../../contract/activity.ts';
import type { ChunkResult } from '../../contract/http/chunk.ts';
import type { JobKind } from '../../contract/http/job.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';

/** The fields of a request that define an output; the container repeats theirs in its result. */
const definingFields = ['format', 'preset', 'analysis', 'image', 'package'] as const;

/** What distinguishes these outputs from the requested ones. */
export function outputsProblem(
  requested: EncodeActivityInput['outputs'],
  encoded: readonly EncodedOutput[],
): string | undefined {
  if (encoded.length !== requested.length) return `${encoded.length} outputs instead of ${requested.length}`;
  const index = encoded.findIndex((output, at) =>
    definingFields.some((field) => {
      const [given, asked] = [output[field], requested[at]?.[field]];
      return given !== undefined && String(given) !== String(asked);
    }),
  );
  return index === -1 ? undefined : `another output in the place of output ${index}`;
}

export function chunksProblem({ totalChunks, chunks }: ChunkResult, requested: number | undefined): string | undefined {
  if (requested !== undefined && totalChunks !== requested) return `${totalChunks} chunks instead of ${requested}`;
  if (chunks === undefined) return undefined;
  if (chunks.length !== totalChunks) return `a list of ${chunks.length} chunks for ${totalChunks}`;
  return chunks.every(({ index }, at) => index === at) ? undefined : 'chunks out of order';
}

/** Ends the run: the result belongs to another request. Runs that older versions started accepted such results. */
export function refuseResult(kind: JobKind, problem: string | undefined): void {
  if (problem === undefined || !patched('results-match-requests')) return;
  throw ApplicationFailure.nonRetryable(`The container answered ${kind} with ${problem}`, 'UnexpectedReply');
}
