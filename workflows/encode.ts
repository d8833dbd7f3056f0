import { continueAsNew } from '@temporalio/workflow';
import type { EncodeInput, EncodeOutcome } from '../contract/workflow/encode.ts';
import { encodeStep } from './run/container-steps.ts';
import { requestOf } from './run/request.ts';
import { newRetryState, type RetryState } from './run/retry-state.ts';
import type { Resumed } from './run/run-key.ts';
import { runStep } from './run/run-step.ts';
import { resumedBy, runWorkflow } from './run/run.ts';
import { encodeSubject, loudnessFindings } from './status/subject.ts';

/** Only the workflow itself passes `resumed`, when it continues as new because its history is too long. */
export async function encode(input: EncodeInput, resumed?: Resumed<RetryState>): Promise<EncodeOutcome> {
  return runWorkflow('encode', input, resumed, async (prepared, run, resumedState) => {
    run.status.describe(encodeSubject(prepared), run.policy.maxRetryTime);
    const request = requestOf(prepared);
    const {
      result: { outputs, source },
      counts,
    } = await runStep(
      encodeStep(request, { verb: 'Encoding', share: { from: 0, to: 100 } }),
      resumedState ?? newRetryState(),
      run,
      (state) => continueAsNew<typeof encode>(run.priority.inputOf(prepared), resumedBy(run, state)),
    );
    run.status.setFindings(loudnessFindings(outputs));
    return { outputs, source, ...counts };
  });
}
