// What the answers of stores mean that speak S3, for whoever reads them: the container, and the worker.

/** Error code in the XML of an error page. */
export function storeCodeIn(page: string): string | undefined {
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(page)?.[1];
}

/** S3's words for a body that came too slowly or not whole, under a status that means a bad request elsewhere. */
const transientStoreCodes = new Set(['RequestTimeout', 'IncompleteBody']);

/** A conflict (409) is with another request for the same object, which ends. */
export function isTransientStoreAnswer(status: number, storeCode: string | undefined): boolean {
  if (status === 400) return transientStoreCodes.has(storeCode ?? '');
  return status >= 500 || [408, 409, 425, 429].includes(status);
}

/** Codes for unknown credentials: a new or deleted key, a token, or a clock that is wrong. Permissions are not in doubt. */
const credentialCodes = new Set([
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'RequestExpired',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
]);

/** It may heal: credentials are renewed, new keys become known, clocks are set. */
export function isCredentialRefusal(storeCode: unknown): boolean {
  return typeof storeCode === 'string' && credentialCodes.has(storeCode);
}
