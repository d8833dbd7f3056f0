import { sign } from 'node:crypto';
import { z } from 'zod';
import { errnoOf } from '../../contract/unknown-values.ts';
import { freshFile } from '../fresh-file.ts';
import { StorageError } from '../store-error.ts';
import type { GoogleVariables } from './google-variables.ts';

/** Key file of a service account, as Google provides it. */
const KeyFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
});

export interface GoogleAccount {
  email: string;
  /** The signature in hex. */
  sign(text: string): string;
}

/** Returns a function that reads the service account. It throws a StorageError that names the setting to correct. */
export function googleAccount({ GOOGLE_APPLICATION_CREDENTIALS: path }: GoogleVariables): () => Promise<GoogleAccount> {
  if (path === undefined) {
    return async () => {
      throw new StorageError(
        'no key is known; set GOOGLE_APPLICATION_CREDENTIALS to the file with the key of a service account',
        false,
      );
    };
  }
  const read = freshFile(path, parseAccount);
  return async () =>
    await read().catch((error: unknown) => {
      if (error instanceof StorageError) throw error;
      throw new StorageError(`the file of GOOGLE_APPLICATION_CREDENTIALS cannot be read (${errnoOf(error)})`, false);
    });
}

/** The error contains no part of the text, which has the key. */
function parseAccount(text: string): GoogleAccount {
  try {
    const { client_email: email, private_key: key } = KeyFile.parse(JSON.parse(text));
    const account = { email, sign: (signed: string) => sign('RSA-SHA256', Buffer.from(signed), key).toString('hex') };
    // Throws if the key cannot sign.
    account.sign('trial');
    return account;
  } catch {
    throw new StorageError('the file of GOOGLE_APPLICATION_CREDENTIALS has no key of a service account', false);
  }
}
