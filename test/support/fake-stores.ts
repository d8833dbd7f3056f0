import { Storage } from '../../activities/storage/storage.ts';
import { needsSigning, openStores, type Stores } from '../../stores/backends.ts';
import type { SigningStore } from '../../stores/store.ts';

const unused = async (): Promise<never> => Promise.reject(new Error('unused'));

/** The last time of a Date. JSON, in which activities exchange it, has no Infinity. */
const neverMs = 8.64e15;

/** Signs `s3://media/a` as `https://s3.test/media/a?X-Amz-get`, and has no uploads in parts. */
const fakeStore: SigningStore = {
  kind: 'signing',
  abortsUploads: true,
  sign: async (url, { kind }) => ({ url: `https://s3.test/${url.slice(5)}?X-Amz-${kind}`, expiresAtMs: neverMs }),
  sizeOf: unused,
  beginUpload: unused,
  listParts: unused,
  completeUpload: unused,
  abortUpload: async () => {},
  listUploads: async () => [],
};

/** A fake store for URLs that need a signature, and the real one for `file:` URLs. */
export function fakeStores(changes: Partial<SigningStore> = {}, MEDIA_ROOT?: string): Stores {
  const store = { ...fakeStore, ...changes };
  const files = openStores({ MEDIA_ROOT }, 600);
  return { at: async (url) => (needsSigning(url) ? store : await files.at(url)) };
}

/** Storage of the segments of spread runs, which exist nowhere. `removed` gets the URLs that a run removes. */
export function segmentStorage(removed: string[] = []): Storage {
  const remove = async (url: string): Promise<void> => void removed.push(url);
  return new Storage({ at: async () => ({ kind: 'direct', remove, read: unused, write: unused }) });
}
