// Meaning of the answers of object stores, for the container and the worker.

/** Error code in the XML of an error page. */
export function storeCodeIn(page: string): string | undefined {
  // AWS has no other code for a signed URL that has expired than that of a missing permission.
  if (/<Message>Request has expired\.?<\/Message>/i.test(page)) return 'RequestExpired';
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(page)?.[1];
}

/** S3's codes for a body that arrived too slowly or incomplete; their status means a bad request elsewhere. */
const transientStoreCodes = new Set(['RequestTimeout', 'IncompleteBody']);

/**
 * Azure's conflicts with the state of a blob or its container, which stays
 * (https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes).
 */
const lastingConflicts = new Set([
  'BlobArchived',
  'BlobImmutableDueToLegalHold',
  'BlobImmutableDueToPolicy',
  'BlobOperationNotSupported',
  'BlockCountExceedsLimit',
  'ContainerDisabled',
  'InvalidBlobType',
  'SnapshotsPresent',
]);

/** Any other conflict (409) is with another request for the same object, and that request ends. */
export function isTransientStoreAnswer(status: number, storeCode: string | undefined): boolean {
  if (status === 400) return transientStoreCodes.has(storeCode ?? '');
  if (status === 409) return !lastingConflicts.has(storeCode ?? '');
  return status >= 500 || [408, 425, 429].includes(status);
}

/**
 * Codes for unknown credentials: a new or deleted key, a token, or a wrong clock. Missing permissions have other codes.
 */
const credentialCodes = new Set([
  // Azure's code for a wrong key and for a signature that has expired.
  'AuthenticationFailed',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'RequestExpired',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
]);

/** Such a refusal may be temporary: credentials are renewed, new keys propagate, clocks are corrected. */
export function isCredentialRefusal(storeCode: unknown): boolean {
  return typeof storeCode === 'string' && credentialCodes.has(storeCode);
}
