import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, RetryState } from '@temporalio/common';
import { expect, test } from 'vitest';
import { explainFailure } from '../../../cli/run/explain-failure.ts';

function failedRun(message: string, type: string): Error {
  const cause = ApplicationFailure.nonRetryable(message, type);
  return new WorkflowFailedError('Workflow execution failed', cause, RetryState.NON_RETRYABLE_FAILURE);
}

test('suggests a video preset if a silent film has no audio to encode', async () => {
  const text = await explainFailure(failedRun('The output mp3_128 needs audio.', 'NoAudio'), false);
  expect(text).toMatch(
    /^The output mp3_128 needs audio\.\n.*--preset web-h264-720, without --captions\. `npx holdfast inspect` lists/,
  );
  expect(await explainFailure(failedRun('It is damaged.', 'UndecodableSource'), false)).toBe('It is damaged.');
});

test('names the command that shows why a transcript failed', async () => {
  const text = await explainFailure(failedRun('The run a-transcript-1 has the errors.', 'TranscriptFailed'), false);
  expect(text).toMatch(/^The run a-transcript-1 has the errors\.\n.*`npx holdfast runs show` with the id of that run/);
});
