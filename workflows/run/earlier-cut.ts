import { ApplicationFailure } from '@temporalio/workflow';
import { chunkListName } from '../../contract/chunk-plan.ts';
import type { EarlierChunks, FindEarlierRequest } from '../../contract/earlier-chunks.ts';
import { findEarlierChunks } from '../proxies.ts';
import type { CutChunks } from './container-steps.ts';

export async function findEarlier(request: FindEarlierRequest): Promise<EarlierChunks | undefined> {
  // JSON payloads turn undefined into null.
  return (await findEarlierChunks(request)) ?? undefined;
}

export function earlierCut(earlier: EarlierChunks | undefined, prefix = ''): CutChunks {
  if (earlier === undefined) throw ApplicationFailure.nonRetryable('The earlier run has no chunks', 'UnexpectedReply');
  const { totalChunks, totalDuration, list } = earlier;
  const chunks = list?.chunks.map(({ index, start, duration, size, sha256, file }) => ({
    index,
    start,
    duration,
    size,
    sha256,
    url: `${prefix}${file}`,
  }));
  return {
    totalChunks,
    totalDuration,
    chunksUrl: `${prefix}${chunkListName}`,
    ...(chunks !== undefined && { chunks }),
  };
}
