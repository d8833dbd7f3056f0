import { randomUUID } from 'node:crypto';
import { maxParts } from '../../contract/http/upload-urls.ts';
import { mapInBatches } from '../in-batches.ts';
import type { ObjectHeaders, RelayedParts, RelayedStore, SigningStore, Store } from '../../stores/store.ts';

/** Bytes of all URLs in one request to a container, which reads 16 MiB. */
export const mostUrlBytes = 15 * 1024 ** 2;

/** Characters that a store adds to the address of an object. The session token of AWS and Google's RSA signature are long. */
const signatureChars = 2_500;

/**
 * Number of parts whose URLs fit into one request. It depends on the object's address alone: a later worker must plan the same
 * parts to continue an upload.
 */
export function mostPartsOf(url: string): number {
  return Math.min(maxParts, Math.floor(mostUrlBytes / (encodeURIComponent(url).length + signatureChars)));
}

/** A store that receives large files in parts. */
export type PartedStore = SigningStore | (RelayedStore & { parts: RelayedParts });

export function receivesParts(store: Store | undefined): store is PartedStore {
  return store?.kind === 'signing' || (store?.kind === 'relayed' && store.parts !== undefined);
}

/** Begins an upload in parts and returns its id. */
export async function beginParts(
  store: PartedStore,
  url: string,
  headers: ObjectHeaders,
  signal: AbortSignal,
): Promise<string> {
  if (store.kind === 'signing') return await store.beginUpload(url, headers, signal);
  const uploadId = randomUUID();
  await store.parts.begin(url, uploadId, signal);
  return uploadId;
}

/** Ignores an upload that has ended. */
export async function abortParts(
  store: PartedStore,
  url: string,
  uploadId: string,
  signal: AbortSignal,
): Promise<void> {
  await (store.kind === 'signing'
    ? store.abortUpload(url, uploadId, signal)
    : store.parts.abort(url, uploadId, signal));
}

/** Signs all requests by which a container uploads the parts of one object. */
export async function signParts(store: SigningStore, url: string, uploadId: string, parts: number) {
  const numbers = Array.from({ length: parts }, (_, index) => index + 1);
  const partUrls = await mapInBatches(numbers, async (part) => {
    const signed = await store.sign(url, { kind: 'part', uploadId, part });
    return signed.url;
  });
  const complete = await store.sign(url, { kind: 'complete', uploadId });
  if (!store.abortsUploads) return { partUrls, completeUrl: complete.url };
  const abort = await store.sign(url, { kind: 'abort', uploadId });
  return { partUrls, completeUrl: complete.url, abortUrl: abort.url };
}
