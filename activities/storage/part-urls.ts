import type { SigningStore } from '../../stores/store.ts';

/** Signs all requests by which a container uploads the parts of one object. */
export async function signParts(store: SigningStore, url: string, uploadId: string, parts: number) {
  const partUrls: string[] = [];
  for (let part = 1; part <= parts; part += 1) {
    partUrls.push((await store.sign(url, { kind: 'part', uploadId, part })).url);
  }
  const complete = await store.sign(url, { kind: 'complete', uploadId });
  if (!store.abortsUploads) return { partUrls, completeUrl: complete.url };
  const abort = await store.sign(url, { kind: 'abort', uploadId });
  return { partUrls, completeUrl: complete.url, abortUrl: abort.url };
}
