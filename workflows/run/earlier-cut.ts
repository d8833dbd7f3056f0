import { ApplicationFailure } from '@temporalio/workflow';
import { chunkListName } from '../../contract/chunk-plan.ts';
import type { EarlierChunks, FindEarlierRequest } from '../../contract/earlier-chunks.ts';
import { findEarlierChunks } from '../proxies.ts';
import type { CutChunks } from './container-steps.ts';

/** What an earlier run has left under the prefix, if any. */
export async function findEarlier(request: FindEarlierRequest): Promise<EarlierChunks | undefined> {
  // A payload knows no undefined.
  return (await findEarlierChunks(request)) ?? undefined;
}

/** What an earlier run has cut, where all of it is whole. */
export function earlierCut(earlier: EarlierChunks | undefined, prefix = ''): CutChunks {
  if (earlier === undefined) throw ApplicationFailure.nonRetryable('Nothing was cut before', 'UnexpectedReply');
  const { totalChunks, totalDuration, list } = earlier;
  const chunks = list?.chunks.map(({ index, start, duration, size, sha256, file }) => ({
    ...{ index, start, duration, size, sha256 },
    url: `${prefix}${file}`,
  }));
  return {
    ...{ totalChunks, totalDuration, chunksUrl: `${prefix}${chunkListName}` },
    ...(chunks !== undefined && { chunks }),
  };
}
