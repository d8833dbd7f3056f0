import { continueAsNew } from '@temporalio/workflow';
import { defaultChunkDuration, defaultOverlapDuration } from '../contract/defaults.ts';
import type { ChunkingInput, ChunkingOutcome } from '../contract/workflow/chunking.ts';
import { chunkStep } from './run/container-steps.ts';
import { requestOf } from './run/request.ts';
import { newRetryState, type RetryState } from './run/retry-state.ts';
import type { Resumed } from './run/run-key.ts';
import { runStep } from './run/run-step.ts';
import { runWorkflow } from './run/run.ts';
import { chunkingSubject } from './status/subject.ts';

/** `resumed` is only given by the run itself, where its history grew too long. */
export async function chunking(input: ChunkingInput, resumed?: Resumed<RetryState>): Promise<ChunkingOutcome> {
  return runWorkflow('chunking', input, resumed, async (prepared, run, resumedState) => {
    const request = requestOf(prepared);
    const { chunkDuration = defaultChunkDuration, overlapDuration = defaultOverlapDuration } = request;
    run.status.describe(chunkingSubject(prepared, chunkDuration), run.policy.maxRetryTime);
    const { result, counts } = await runStep(
      chunkStep({ ...request, chunkDuration, overlapDuration }, { verb: 'Chunking', share: { from: 0, to: 100 } }),
      resumedState ?? newRetryState(),
      run,
      (state) => continueAsNew<typeof chunking>(prepared, { key: run.key, state }),
    );
    return { ...result, ...counts };
  });
}
