import { ValueError } from '@temporalio/common';

/** What the SDK says of an encrypted payload where it has been given no codec. */
const unknownEncoding = 'Unknown encoding: binary/encrypted';

/** For a person without the key of a run: what to do. Undefined for every other error. */
export function describeEncrypted(error: unknown): string | undefined {
  if (!(error instanceof ValueError)) return undefined;
  if (error.message === unknownEncoding)
    return 'What Temporal keeps of the run is encrypted: give this command the PAYLOAD_KEY or PAYLOAD_KEY_FILE of the worker.';
  return error.message.includes('PAYLOAD_KEY') ? error.message : undefined;
}
