import { expect, test } from 'vitest';
import { isTransientStoreAnswer } from '../../contract/store-answer.ts';

test.each([
  [409, undefined, true],
  // Another request changes the object: S3, Google, Azure.
  [409, 'OperationAborted', true],
  [409, 'Conflict', true],
  [409, 'ContainerBeingDeleted', true],
  // Azure keeps the blob as it is.
  [409, 'BlobImmutableDueToPolicy', false],
  [409, 'BlobImmutableDueToLegalHold', false],
  [409, 'InvalidBlobType', false],
  [409, 'SnapshotsPresent', false],
  [503, 'ServerBusy', true],
  [500, 'OperationTimedOut', true],
  [429, 'SlowDown', true],
  [400, 'IncompleteBody', true],
  [400, 'InvalidBlockList', false],
  [403, 'AccessDenied', false],
  [412, 'LeaseIdMissing', false],
])('a retry may help after %i with the code %s: %s', (status, code, expected) => {
  expect(isTransientStoreAnswer(status, code)).toBe(expected);
});
