import { ActivityFailure, ApplicationFailure, ServerFailure, RetryState } from '@temporalio/common';
import { expect, test } from 'vitest';
import { outcomeOf } from '../../../workflows/run/outcome.ts';
import { answer, chunkResult } from '../../fixtures/scripted-container.ts';
import { useScriptedRuns } from '../../support/scripted-runs.ts';

const { run } = await useScriptedRuns();

const place = { index: 0, uploadUrl: 'https://media.test/0?token=secret' };

test('a result that is too large for Temporal ends the run at once with the reason', async () => {
  const script = () => answer(200, chunkResult(20_000));
  const { failure, history } = await run(
    script,
    { sourceUrl: 'https://media.test/a.wav', chunks: [place] },
    'chunking',
  );
  expect(failure?.type).toBe('ServerLimitExceeded');
  expect(failure?.message).toMatch(
    /^The result of chunk has \d{7} bytes, and the limit of Temporal is 2000000 bytes\.$/,
  );
  expect(history.timerSeconds()).toEqual([]);
});

test('an input that is too large for an activity fails the run before the server terminates it', async () => {
  const chunks = Array.from({ length: 1_000 }, (_, index) => ({
    index,
    uploadUrl: `https://media.test/${index}?token=${'s'.repeat(2_000)}`,
  }));
  const { failure } = await run('http://127.0.0.1:9', { sourceUrl: 'https://media.test/a.wav', chunks }, 'chunking');
  expect(failure).toMatchObject({
    type: 'ServerLimitExceeded',
    message: expect.stringContaining('The input of "chunking" has'),
  });
});

function endedByServer(message: string, cause?: Error) {
  const failure = new ServerFailure(message, true, cause);
  return Promise.reject(
    new ActivityFailure('Activity task failed', 'followJob', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', failure),
  );
}

test('a result rejected by the server is a fatal failure, not a lost connection', async () => {
  expect(await outcomeOf(endedByServer('Complete result exceeds size limit.'), {})).toMatchObject({
    kind: 'fatal',
    type: 'ServerLimitExceeded',
    message: 'The Temporal server rejected a result: Complete result exceeds size limit.',
  });
});

test('a failure truncated by the server keeps its type and message', async () => {
  const own = ApplicationFailure.nonRetryable('The source is empty', 'UndecodableSource');
  expect(await outcomeOf(endedByServer('Failure exceeds size limit.', own), {})).toMatchObject({
    kind: 'fatal',
    type: 'UndecodableSource',
    message: 'The source is empty',
  });
});
