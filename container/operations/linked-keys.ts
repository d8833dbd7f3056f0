import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncryptionSettings } from '../../contract/encryption-settings.ts';
import type { OutputSettings } from '../../contract/output-settings.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { JobContext } from '../jobs/job.ts';
import type { Encryption } from '../../engine/products/package/plan-package.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { fetchLink, linkKey } from './fetch-link.ts';

/** of AES-128 */
const keyBytes = 16;

/** The encryption of an output, with its key; undefined where it has none. */
export type LinkedKeys = (output: OutputSettings) => Encryption | undefined;

/** Fetches the keys of all outputs, each file once, and before the source. None of them stays in the job's folder. */
export async function fetchKeys(
  outputs: readonly OutputSettings[],
  transfer: MediaTransfer,
  job: JobContext,
): Promise<LinkedKeys> {
  const keys = new Map<string, Buffer>();
  for (const { package: packaged } of outputs) {
    const key = packaged?.encryption?.key;
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
  for (const { package: packaged } of outputs) {
    if (packaged?.encryption !== undefined) checkSecret(packaged.encryption, keyOf(packaged.encryption.key));
  }
  return ({ package: packaged }) => {
    if (packaged?.encryption === undefined) return undefined;
    return { ...packaged.encryption, key: keyOf(packaged.encryption.key) };
  };
}

function readKey(bytes: Buffer): Buffer {
  if (bytes.length === keyBytes) return bytes;
  const message = `The key of the encryption cannot be used: its file has ${bytes.length} bytes, and a key has ${keyBytes}.`;
  throw new MediaError('invalid_request', message, { details: { field: 'encryption' } });
}

/** What stands in playlists and files beside the key is for everybody to read. */
function checkSecret({ keyId, keyUri, licenseUrl }: EncryptionSettings, key: Buffer): void {
  const hex = key.toString('hex');
  const told = Object.entries({ keyId, keyUri, licenseUrl }).find(([, text]) => text?.toLowerCase().includes(hex));
  if (told === undefined) return;
  const message = `The key of the encryption cannot be used: ${told[0]}, which everybody can read, has it in it.`;
  throw new MediaError('invalid_request', message, { details: { field: 'encryption' } });
}
