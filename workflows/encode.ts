import { continueAsNew } from '@temporalio/workflow';
import type { EncodeInput, EncodeOutcome } from '../contract/workflow/encode.ts';
import { attempts, newStep, type StepState } from './run/attempts.ts';
import { containerActivities } from './proxies.ts';
import { runWorkflow } from './run/run.ts';
import { encodeSubject, formatsOf } from './status/subject.ts';

/** `resumed` is only given by the run itself, where its history grew too long. */
export async function encode(input: EncodeInput, resumed?: StepState): Promise<EncodeOutcome> {
  return runWorkflow('encode', input, resumed !== undefined, async (prepared, run) => {
    run.board.describe(encodeSubject(prepared), run.policy.maxRetryTime);
    run.board.startStep({ from: 0, to: 100 });
    const formats = formatsOf(prepared.outputs);
    const { sourceUrl, sourceSha256, outputs } = prepared;
    const { result, counts } = await attempts(
      {
        name: 'encode',
        verb: 'Encoding',
        subject: `format ${formats}`,
        summary: `encode ${formats}`,
        execute: (summary, context) =>
          containerActivities().encode.executeWithOptions({ summary }, [{ sourceUrl, sourceSha256, outputs }, context]),
      },
      resumed ?? newStep(),
      run,
      (state) => continueAsNew<typeof encode>(prepared, state),
    );
    return { ...result, ...counts };
  });
}
