import { ValueError } from '@temporalio/common';

/** The SDK's error for an encrypted payload without a codec. */
const unknownEncoding = 'Unknown encoding: binary/encrypted';

/** Explains an encryption error to someone without the run's key; undefined for other errors. */
export function describeEncrypted(error: unknown): string | undefined {
  if (!(error instanceof ValueError)) return undefined;
  if (error.message === unknownEncoding)
    return 'The run is encrypted. Set PAYLOAD_KEY or PAYLOAD_KEY_FILE to the keys of the workers.';
  return error.message.includes('PAYLOAD_KEY') ? error.message : undefined;
}
