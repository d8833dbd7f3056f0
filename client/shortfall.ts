import { chunksFailed, providerFailed } from '../contract/workflow/failure.ts';
import { ProcessingOutcome } from '../contract/workflow/processing.ts';
import { describeShortfall } from '../contract/workflow/shortfall.ts';

const Counted = ProcessingOutcome.pick({ status: true, failedChunks: true, totalChunks: true, chunks: true });

/** Why a run counts as failed although it has this result; undefined if the result lacks no chunk. */
export function readShortfall(outcome: unknown): { type: string; message: string } | undefined {
  const { data } = Counted.safeParse(outcome);
  const message = data && describeShortfall(data);
  return message === undefined
    ? undefined
    : { type: data?.status === 'failed' ? providerFailed : chunksFailed, message };
}
