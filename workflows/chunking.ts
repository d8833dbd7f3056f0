import { continueAsNew } from '@temporalio/workflow';
import { defaultChunkDuration, defaultOverlapDuration } from '../contract/defaults.ts';
import { type EarlierChunks, isUnchanged } from '../contract/earlier-chunks.ts';
import type { ChunkingInput, ChunkingOutcome } from '../contract/workflow/chunking.ts';
import { chunkStep, orUnchanged } from './run/container-steps.ts';
import { earlierCut, findEarlier } from './run/earlier-cut.ts';
import { requestOf } from './run/request.ts';
import { newRetryState, type RetryState } from './run/retry-state.ts';
import type { Resumed } from './run/run-key.ts';
import { runStep } from './run/run-step.ts';
import { resumedBy, runWorkflow } from './run/run.ts';
import { chunkingSubject } from './status/subject.ts';

/** `earlier`: chunks that an earlier run left under the prefix. They survive continuing as new. */
type ResumedChunking = RetryState & { earlier?: EarlierChunks };

/** Only the workflow itself passes `resumed`, when it continues as new because its history is too long. */
export async function chunking(input: ChunkingInput, resumed?: Resumed<ResumedChunking>): Promise<ChunkingOutcome> {
  return runWorkflow('chunking', input, resumed, async (prepared, run, resumedState) => {
    const { resume = false, ...given } = requestOf(prepared);
    const { chunkDuration = defaultChunkDuration, overlapDuration = defaultOverlapDuration, uploadUrlPrefix } = given;
    run.status.describe(chunkingSubject(prepared, chunkDuration), run.policy.maxRetryTime);
    const settings = { chunkDuration, overlapDuration };
    const mayFind = resume && resumedState === undefined && uploadUrlPrefix !== undefined;
    const earlier = mayFind
      ? await findEarlier({ ...settings, uploadUrlPrefix, providers: [] })
      : resumedState?.earlier;
    const request = {
      ...given,
      ...settings,
      ...(uploadUrlPrefix !== undefined && { about: { setId: run.key } }),
      ...(earlier !== undefined && { keep: keptOf(earlier) }),
    };
    const { result, counts } = await runStep(
      orUnchanged(chunkStep(request, { verb: 'Chunking', share: { from: 0, to: 100 } })),
      resumedState ?? newRetryState(),
      run,
      (state) =>
        continueAsNew<typeof chunking>(
          run.priority.inputOf(prepared),
          resumedBy(run, { ...state, ...(earlier !== undefined && { earlier }) }),
        ),
    );
    return { ...(isUnchanged(result) ? earlierCut(earlier, uploadUrlPrefix) : result), ...counts };
  });
}

function keptOf({ setId, whole, totalChunks, source }: EarlierChunks) {
  return { setId, indexes: whole, totalChunks, source };
}
