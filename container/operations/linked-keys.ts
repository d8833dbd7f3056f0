import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncryptionSettings } from '../../contract/encryption-settings.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { fetchLink, linkKey } from './fetch-link.ts';

/** Length of an AES-128 key. */
const keyBytes = 16;

/** Fetches each key file once, before the source. No key stays in the job's folder. */
export async function fetchKeys(
  encryptions: readonly EncryptionSettings[],
  transfer: MediaTransfer,
  job: JobContext,
): Promise<(key: EncryptionSettings['key']) => Buffer> {
  const keys = new Map<string, Buffer>();
  for (const { key } of encryptions) {
    if (typeof key !== 'object' || keys.has(linkKey(key))) continue;
    const path = join(job.fetchedFolder, 'key');
    try {
      await fetchLink(key, 'encryption', keyBytes, path, transfer, job);
      keys.set(linkKey(key), readKey(await readFile(path)));
    } finally {
      await rm(path, { force: true });
    }
  }
  const keyOf = (key: EncryptionSettings['key']): Buffer => {
    const found = typeof key === 'string' ? Buffer.from(key, 'hex') : keys.get(linkKey(key));
    if (found === undefined) throw new Error('a key that was not fetched');
    return found;
  };
  for (const encryption of encryptions) checkSecret(encryption, keyOf(encryption.key));
  return keyOf;
}

function readKey(bytes: Buffer): Buffer {
  if (bytes.length === keyBytes) return bytes;
  const message = `The key of the encryption cannot be used: its file has ${bytes.length} bytes, and a key has ${keyBytes}.`;
  throw new MediaError('invalid_request', message, { details: { field: 'encryption' } });
}

/** These fields are public in playlists, manifests and media, so they must not contain the key. */
function checkSecret({ keyId, keyUri, licenseUrl }: EncryptionSettings, key: Buffer): void {
  const hex = key.toString('hex');
  const told = Object.entries({ keyId, keyUri, licenseUrl }).find(([, text]) => text?.toLowerCase().includes(hex));
  if (told === undefined) return;
  const message = `The key of the encryption cannot be used: ${told[0]}, which everybody can read, has it in it.`;
  throw new MediaError('invalid_request', message, { details: { field: 'encryption' } });
}
