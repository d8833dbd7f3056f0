import { WorkflowFailedError } from '@temporalio/client';
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { expect, test } from 'vitest';
import { describeFailure, failureTypeOf, isAddressForbidden } from '../../client/failure.ts';

function failRun(cause: Error): WorkflowFailedError {
  return new WorkflowFailedError('Workflow execution failed', cause, RetryState.NON_RETRYABLE_FAILURE);
}

const exhausted = ApplicationFailure.nonRetryable('Gave up', 'RetryBudgetExhausted', {
  lastError: { type: 'RateLimited', message: 'Encoding service is busy. Please retry in 10 seconds.' },
  attempts: 358,
  rateLimitHits: 357,
  connectionErrors: 1,
  elapsedSeconds: 3570,
});

test.each<[string, unknown, string]>([
  [
    'an error of the container',
    failRun(ApplicationFailure.nonRetryable('The source cannot be decoded.', 'UndecodableSource')),
    'The source cannot be decoded.',
  ],
  [
    'the innermost cause',
    failRun(
      new ActivityFailure(
        'Activity task failed',
        'encode',
        '1',
        RetryState.NON_RETRYABLE_FAILURE,
        'worker',
        ApplicationFailure.nonRetryable('Refused.', 'X'),
      ),
    ),
    'Refused.',
  ],
  [
    'an exhausted budget with all its facts',
    failRun(exhausted),
    'Gave up after 358 attempts in 59:30: the container was busy 357 times, the container could not be reached 1 time.\nLast error: Encoding service is busy. Please retry in 10 seconds.',
  ],
  ['a cancellation', failRun(new CancelledFailure('cancelled')), 'The run was cancelled.'],
  ['a termination', failRun(new TerminatedFailure('by admin')), 'The run was terminated in Temporal: by admin'],
  ['anything else', new Error('socket hang up'), 'socket hang up'],
])('describes %s without a stack trace', (_, error, sentence) => {
  expect(describeFailure(error)).toBe(sentence);
});

test.each(['RetryBudgetExhausted', 'ContainerUntrusted'])(
  'names the container of the failure %s to operators alone',
  (type) => {
    const facts = {
      lastError: { type, message: 'No answer' },
      attempts: 1,
      connectionErrors: 1,
      containerUrl: 'http://c',
    };
    const error = failRun(ApplicationFailure.nonRetryable('No answer', type, facts));
    expect(describeFailure(error)).toMatch(/No answer \(http:\/\/c\)$/);
    expect(describeFailure(error, false)).toMatch(/No answer$/);
  },
);

test.each([
  ['ContainerUntrusted', 'The container at http://c is not trusted: expired', 'The container is not trusted: expired'],
  [
    'RetryBudgetExhausted',
    'Gave up. Last error: Container disconnected (http://c)',
    'Gave up. Last error: Container disconnected',
  ],
])('names the container of the failure %s of an older version once, and to operators alone', (type, message, shown) => {
  const error = failRun(ApplicationFailure.nonRetryable(message, type, { containerUrl: 'http://c' }));
  expect(describeFailure(error)).toBe(`${shown} (http://c)`);
  expect(describeFailure(error, false)).toBe(shown);
});

test('hides the target of a redirect in the last error of an older version', () => {
  const message = 'A proxy answered instead of the container: HTTP 308 (to https://c.internal/encode)';
  const facts = { lastError: { type: 'ConnectionError', message }, attempts: 1, connectionErrors: 1 };
  const error = failRun(ApplicationFailure.nonRetryable(message, 'RetryBudgetExhausted', facts));
  expect(describeFailure(error, false)).toMatch(/HTTP 308 \(to another address\)$/);
});

test.each<[string | undefined, Error]>([
  ['UndecodableSource', ApplicationFailure.nonRetryable('The source cannot be decoded.', 'UndecodableSource')],
  ['Terminated', new TerminatedFailure('by admin')],
  ['TimedOut', new TimeoutFailure('Workflow execution timed out', undefined, 'START_TO_CLOSE')],
  [undefined, new CancelledFailure('cancelled')],
])('gives a run the failure type %s, as the list of runs does', (type, cause) => {
  expect(failureTypeOf(failRun(cause))).toBe(type);
});

test('recognises a failure because of a rejected address', () => {
  expect(isAddressForbidden(failRun(ApplicationFailure.nonRetryable('no', 'SourceForbidden')))).toBe(true);
  expect(isAddressForbidden(failRun(ApplicationFailure.nonRetryable('no', 'UndecodableSource')))).toBe(false);
});
