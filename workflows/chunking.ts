import { continueAsNew } from '@temporalio/workflow';
import { defaultChunkDuration, defaultOverlapDuration } from '../contract/defaults.ts';
import type { ChunkingInput, ChunkingOutcome } from '../contract/workflow/chunking.ts';
import { attempts, newStep, type StepState } from './run/attempts.ts';
import { containerActivities } from './proxies.ts';
import { runWorkflow } from './run/run.ts';
import { chunkingSubject } from './status/subject.ts';

/** `resumed` is only given by the run itself, where its history grew too long. */
export async function chunking(input: ChunkingInput, resumed?: StepState): Promise<ChunkingOutcome> {
  return runWorkflow('chunking', input, resumed !== undefined, async (prepared, run) => {
    const { sourceUrl, sourceSha256, uploadUrlPrefix, chunks } = prepared;
    const chunkDuration = prepared.chunkDuration ?? defaultChunkDuration;
    const overlapDuration = prepared.overlapDuration ?? defaultOverlapDuration;
    run.board.describe(chunkingSubject(prepared, chunkDuration), run.policy.maxRetryTime);
    run.board.startStep({ from: 0, to: 100 });
    const { result, counts } = await attempts(
      {
        name: 'chunk',
        verb: 'Chunking',
        subject: `${chunkDuration}s chunks`,
        summary: `cut into ${chunkDuration} s chunks`,
        execute: (summary, context) =>
          containerActivities().chunk.executeWithOptions({ summary }, [
            { sourceUrl, sourceSha256, chunkDuration, overlapDuration, uploadUrlPrefix, chunks },
            context,
          ]),
      },
      resumed ?? newStep(),
      run,
      (state) => continueAsNew<typeof chunking>(prepared, state),
    );
    return { ...result, ...counts };
  });
}
