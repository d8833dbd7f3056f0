import { sign } from 'node:crypto';
import { z } from 'zod';
import { freshFile } from '../fresh-file.ts';
import { StorageError } from '../store-error.ts';
import { type GoogleAccount, machineAccount } from './google-identity.ts';
import type { GoogleVariables } from './google-variables.ts';

/** Key file of a service account, as Google provides it. */
const KeyFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
});

/** Returns a function that reads the service account. It throws a StorageError that names the setting to correct. */
export function googleAccount(variables: GoogleVariables): () => Promise<GoogleAccount> {
  const { GOOGLE_APPLICATION_CREDENTIALS: path, GOOGLE_SERVICE_ACCOUNT: email } = variables;
  if (path === undefined && email !== undefined) {
    const metadata = `http://${variables.GCE_METADATA_HOST ?? 'metadata.google.internal'}`;
    const account = machineAccount(email, { metadata, iam: 'https://iamcredentials.googleapis.com' });
    return async () => account;
  }
  if (path === undefined) {
    return async () => {
      throw new StorageError(
        'no key is known; set GOOGLE_APPLICATION_CREDENTIALS to the file with the key of a service account',
        false,
      );
    };
  }
  return freshFile('GOOGLE_APPLICATION_CREDENTIALS', path, parseAccount);
}

/** The error contains no part of the text, which has the key. */
function parseAccount(text: string): GoogleAccount {
  try {
    const { client_email: email, private_key: key } = KeyFile.parse(JSON.parse(text));
    const signText = (signed: string) => sign('RSA-SHA256', Buffer.from(signed), key).toString('hex');
    // Throws if the key cannot sign.
    signText('trial');
    return { email, sign: async (signed) => signText(signed) };
  } catch {
    throw new StorageError('the file of GOOGLE_APPLICATION_CREDENTIALS has no key of a service account', false);
  }
}
