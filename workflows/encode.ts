import { continueAsNew } from '@temporalio/workflow';
import type { EncodeInput, EncodeOutcome } from '../contract/workflow/encode.ts';
import { transcriptUrls } from '../contract/written-names.ts';
import { withCaptions } from './captions/caption-outputs.ts';
import { type MadeCaptions, makeCaptions } from './captions/make-captions.ts';
import { encodeStep } from './run/container-steps.ts';
import { requestOf } from './run/request.ts';
import { newRetryState, type RetryState } from './run/retry-state.ts';
import type { Resumed } from './run/run-key.ts';
import { runStep } from './run/run-step.ts';
import { resumedBy, runWorkflow } from './run/run.ts';
import { spreadEncode } from './spread/spread-encode.ts';
import type { SpreadProgress } from './spread/spread-progress.ts';
import { encodeSubject, loudnessFindings } from './status/subject.ts';

interface ResumedEncode extends Resumed<RetryState | SpreadProgress> {
  /** Set if the run has made captions. */
  captions?: MadeCaptions;
}

/** Only the workflow itself passes `resumed`, when it continues as new because its history is too long. */
export async function encode(input: EncodeInput, resumed?: ResumedEncode): Promise<EncodeOutcome> {
  return runWorkflow('encode', input, resumed, async (prepared, run, resumedState) => {
    run.status.describe(encodeSubject(prepared), run.policy.maxRetryTime);
    const { transcript } = prepared;
    const captions =
      transcript === undefined ? undefined : (resumed?.captions ?? (await makeCaptions(prepared, transcript, run)));
    const outputs = captions === undefined ? prepared.outputs : withCaptions(prepared.outputs, captions);
    const { spread, transcript: _transcript, preview: _preview, ...request } = requestOf({ ...prepared, outputs });
    const again = (state: RetryState | SpreadProgress): Promise<never> =>
      // A rerun reads this input, so it must be as valid as the first one: its outputs keep `captions`.
      continueAsNew<typeof encode>(run.priority.inputOf(prepared), {
        ...resumedBy(run, state),
        ...(captions !== undefined && { captions }),
      });
    const written = transcript === undefined ? {} : { transcript: transcriptUrls(transcript.uploadUrlPrefix) };
    const progress = resumedState !== undefined && 'kind' in resumedState ? resumedState : undefined;
    if (spread !== undefined) {
      const { counts, ...result } = await spreadEncode(request, spread, progress, run, again);
      run.status.setFindings(loudnessFindings(result.outputs));
      return { ...result, ...written, ...counts };
    }
    const step = encodeStep(request, { verb: 'Encoding', share: { from: 0, to: 100 } });
    const state = resumedState === undefined || 'kind' in resumedState ? newRetryState() : resumedState;
    const { result, counts } = await runStep(step, state, run, again);
    run.status.setFindings(loudnessFindings(result.outputs));
    return { outputs: result.outputs, source: result.source, ...written, ...counts };
  });
}
