import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  patched,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { captionedTracks } from '../../contract/captioned-tracks.ts';
import { defaultLocalKey } from '../../contract/local-provider.ts';
import { memoOfRequester } from '../../contract/requester.ts';
import type { EncodeInput } from '../../contract/workflow/encode.ts';
import type { ProcessingInput, ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { transcriptFailed } from '../../contract/workflow/failure.ts';
import type { RunTranscript } from '../../contract/workflow/transcript.ts';
import type { processing } from '../processing.ts';
import type { Run } from '../run/run.ts';

const stepId = 'transcript';

/** The progress of the other run is not known here. */
const share = { from: 0, to: 0 };

export interface MadeCaptions {
  /** File of the captions. Undefined: nobody speaks. */
  url?: string;
  /** Set if the captions join the subtitles of presets. Runs that older versions began replace these to their end. */
  joinsPresets?: true;
  /** Set if the containers move them from the sound's clock to the film's. Older versions left them there. */
  onSoundClock?: true;
}

/** Transcribes the source by a run of `processing`, which has its own waits and budgets. */
export async function makeCaptions(input: EncodeInput, asked: RunTranscript, run: Run): Promise<MadeCaptions> {
  const { requester, status, priority } = run;
  const { workflowId } = workflowInfo();
  // If this run is reset, the transcript's run of the former execution may still be open.
  const id = `${workflowId}-${stepId}-${uuid4().slice(0, 8)}`;
  status.startStep(stepId, share);
  status.startRun(stepId);
  let outcome: ProcessingOutcome;
  try {
    outcome = await executeChild<typeof processing>('processing', {
      workflowId: id,
      args: [priority.inputOf(processingInput(input, asked))],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: `captions of ${workflowId}`,
      memo: { ...memoOfRequester(requester), ...(input.sourceName !== undefined && { sourceName: input.sourceName }) },
    });
  } catch (error) {
    throw failureOf(error, id);
  }
  const { transcript, cues, failedChunks, totalChunks } = outcome;
  if (transcript === undefined || outcome.status !== 'completed') {
    throw ApplicationFailure.nonRetryable(
      `The captions would have gaps: ${failedChunks} of ${totalChunks} chunks were not transcribed. The run ${id} has the errors. Another run with the same transcript.uploadUrlPrefix transcribes only these chunks.`,
      transcriptFailed,
    );
  }
  status.endStep(stepId, 'done', 0);
  if (cues === 0) return {};
  const joins = patched('captions-join-subtitles-of-presets') && { joinsPresets: true as const };
  const clock = patched('captions-on-clock-of-sound') && { onSoundClock: true as const };
  return { url: transcript.vtt, ...joins, ...clock };
}

/** A transcript of an earlier run is used again, if it is of the same source and complete. */
function processingInput(input: EncodeInput, { provider = defaultLocalKey, ...asked }: RunTranscript): ProcessingInput {
  const { sourceUrl, headers, sourceSha256, retry, owner, sourceName, priority, fairnessKey, fairnessWeight } = input;
  const [track] = captionedTracks(input.outputs);
  return {
    ...{ sourceUrl, headers, sourceSha256, ...asked, provider, resume: true, ...(track !== undefined && { track }) },
    ...{ retry, owner, sourceName, priority, fairnessKey, fairnessWeight },
  };
}

function failureOf(error: unknown, id: string): unknown {
  if (!(error instanceof ChildWorkflowFailure)) return error;
  if (CancellationScope.current().consideredCancelled) {
    return isCancellation(error) ? error : new CancelledFailure(`The run ${id} was cancelled.`, [], error);
  }
  const { cause } = error;
  if (cause instanceof ApplicationFailure) {
    const message = `The film was not transcribed: ${cause.message}`;
    return ApplicationFailure.nonRetryable(message, cause.type, ...(cause.details ?? []));
  }
  const reason = cause?.message ?? error.message;
  return ApplicationFailure.nonRetryable(`The run ${id} ended without a transcript: ${reason}`, transcriptFailed);
}
