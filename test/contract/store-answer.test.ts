import { expect, test } from 'vitest';
import { isCredentialRefusal, isTransientStoreAnswer, storeCodeIn } from '../../contract/store-answer.ts';

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

test.each([
  ['<Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message></Error>', 'NoSuchKey', false],
  ['<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>', 'AccessDenied', false],
  // AWS, for a signed URL after its last second.
  ['<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>', 'RequestExpired', true],
  ['<html></html>', undefined, false],
])('reads the code of %s, and says whether new credentials may help', (page, code, mayHelp) => {
  expect(storeCodeIn(page)).toBe(code);
  expect(isCredentialRefusal(storeCodeIn(page))).toBe(mayHelp);
});
