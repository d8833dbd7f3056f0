import { continueAsNew } from '@temporalio/workflow';
import type { EncodeInput, EncodeOutcome } from '../contract/workflow/encode.ts';
import { transcriptUrls } from '../contract/written-names.ts';
import { addCaptions } from './captions/add-captions.ts';
import { encodeStep } from './run/container-steps.ts';
import { requestOf } from './run/request.ts';
import { newRetryState, type RetryState } from './run/retry-state.ts';
import type { Resumed } from './run/run-key.ts';
import { runStep } from './run/run-step.ts';
import { resumedBy, runWorkflow } from './run/run.ts';
import { spreadEncode } from './spread/spread-encode.ts';
import type { SpreadProgress } from './spread/spread-progress.ts';
import { encodeSubject, loudnessFindings } from './status/subject.ts';

/** Only the workflow itself passes `resumed`, when it continues as new because its history is too long. */
export async function encode(
  input: EncodeInput,
  resumed?: Resumed<RetryState | SpreadProgress>,
): Promise<EncodeOutcome> {
  return runWorkflow('encode', input, resumed, async (prepared, run, resumedState) => {
    run.status.describe(encodeSubject(prepared), run.policy.maxRetryTime);
    const { transcript } = prepared;
    const ready =
      transcript === undefined || resumedState !== undefined ? prepared : await addCaptions(prepared, transcript, run);
    const { spread, transcript: _, ...request } = requestOf(ready);
    const again = (state: RetryState | SpreadProgress): Promise<never> =>
      continueAsNew<typeof encode>(run.priority.inputOf(ready), resumedBy(run, state));
    const written = transcript === undefined ? {} : { transcript: transcriptUrls(transcript.uploadUrlPrefix) };
    const progress = resumedState !== undefined && 'kind' in resumedState ? resumedState : undefined;
    if (spread !== undefined) {
      const { counts, ...result } = await spreadEncode(request, spread, progress, run, again);
      run.status.setFindings(loudnessFindings(result.outputs));
      return { ...result, ...written, ...counts };
    }
    const step = encodeStep(request, { verb: 'Encoding', share: { from: 0, to: 100 } });
    const state = resumedState === undefined || 'kind' in resumedState ? newRetryState() : resumedState;
    const {
      result: { outputs, source },
      counts,
    } = await runStep(step, state, run, again);
    run.status.setFindings(loudnessFindings(outputs));
    return { outputs, source, ...written, ...counts };
  });
}
