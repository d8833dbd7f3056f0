import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { abortParts, beginParts, receivesParts } from '../../../activities/storage/part-urls.ts';
import { isCredentialRefusal } from '../../../contract/store-answer.ts';
import { UnusableFile } from '../../../stores/store-error.ts';
import type { SigningStore } from '../../../stores/store.ts';
import { makeContent } from '../../container/transfer/ranged-source.ts';
import type { PartUrls } from './container-side.ts';
import type { Abilities, StoreOfTests } from './suite.ts';

/** The request for a part of an upload: at S3 and Google, at Azure, and at a relay. */
const partRequest = /^PUT .*(?:partNumber|comp=block&|Method=part)/;
const lostWorker = new Error('the worker was lost');

/** What every store promises that receives large files in parts. */
export function keepsPromisesInParts(store: StoreOfTests, partBytes: number, abilities: Abilities): void {
  const { signal, newUrl } = store;
  /** A body that is sent in this many parts, at least three. */
  const partedBody = (parts: number): Buffer => makeContent((parts - 1) * partBytes + 1);
  const partedStore = async (url: string) => {
    const found = await store.at.stores.at(url);
    if (!receivesParts(found)) throw new Error('The store receives no parts');
    return found;
  };
  const begin = async (url: string) =>
    await beginParts(await partedStore(url), url, { contentType: 'video/mp4' }, signal);
  const deliver: typeof store.container.deliver = async (...args) => await store.container.deliver(...args);
  const partsSince = (before: number): number =>
    store.line.requests.slice(before).filter((asked) => partRequest.test(asked)).length;

  test('a container stores a large file, and reads the same back', async () => {
    const [url, body] = [newUrl(), partedBody(4)];
    await deliver(store.at.stores, url, body);
    expect(await store.keeps(url, body)).toBe(true);
  });

  test('an unfinished upload shows no part of the file, and another worker finishes it', async () => {
    const [url, body] = [newUrl(), partedBody(5)];
    const uploadId = await begin(url);
    const [ended, storedParts] = [new AbortController(), new Map<number, string>()];
    const halfway = deliver(store.at.stores, url, body, {
      ...{ uploadId, storedParts, signal: ended.signal },
      // Parts are sent four at a time, so the last byte, which is the fifth part, is sent after another part is stored.
      onProgress: (bytes) => bytes === body.length && ended.abort(lostWorker),
    });
    await expect(halfway).rejects.toThrow(lostWorker.message);
    await expect(store.readText(url)).rejects.toBeInstanceOf(UnusableFile);
    expect(storedParts.size).toBeGreaterThan(0);
    const [before, missing] = [store.at.line?.requests.length ?? 0, 5 - storedParts.size];
    await deliver(store.at.stores, url, body, { uploadId, storedParts });
    expect(await store.keeps(url, body)).toBe(true);
    expect(partsSince(before)).toBe(missing);
  });

  test('an aborted upload stores nothing', async () => {
    const [url, body] = [newUrl(), partedBody(5)];
    const uploadId = await begin(url);
    const ended = new AbortController();
    const halfway = deliver(store.at.stores, url, body, {
      ...{ uploadId, signal: ended.signal },
      onProgress: (bytes) => bytes === body.length && ended.abort(lostWorker),
    });
    await expect(halfway).rejects.toThrow(lostWorker.message);
    await abortParts(await partedStore(url), url, uploadId, signal);
    await abortParts(await partedStore(url), url, uploadId, signal);
    await expect(store.readText(url)).rejects.toBeInstanceOf(UnusableFile);
  });

  test('keeps a file whose key has 1,000 characters', async () => {
    const start = 'folder of a long path/'.repeat(40);
    const [url, body] = [store.at.urlOf(start + 'a'.repeat(1000 - start.length)), partedBody(3)];
    await deliver(store.at.stores, url, body);
    expect(await store.keeps(url, body)).toBe(true);
  });

  test('sends only the part again whose connection is reset or that is answered with 503', async () => {
    const [url, body] = [newUrl(), makeContent(3 * partBytes)];
    const uploadId = await begin(url);
    const before = store.line.requests.length;
    store.line.failNext(/^PUT /, { kind: 'cut_request', bytes: partBytes / 2 });
    store.line.failNext(/^PUT /, { kind: 'answer', status: 503, headers: { 'retry-after': '1' } });
    expect(await deliver(store.at.stores, url, body, { uploadId })).toBe(2);
    expect(await store.keeps(url, body)).toBe(true);
    expect(partsSince(before)).toBe(5);
  });

  test('stores the file if the answer to the completion is lost', async () => {
    const [url, body] = [newUrl(), partedBody(3)];
    const uploadId = await begin(url);
    store.line.failNext(/^POST |comp=blocklist/, { kind: 'cut_answer', bytes: 0 });
    await deliver(store.at.stores, url, body, { uploadId });
    expect(await store.keeps(url, body)).toBe(true);
  });

  test.skipIf(abilities.mixesWriters)('two uploads in parts at once leave the whole file of one of them', async () => {
    const url = newUrl();
    const bodies = [partedBody(3), partedBody(4)];
    await Promise.all(bodies.map((body) => deliver(store.at.stores, url, body)));
    const found = await store.container.fetch(store.at.stores, url);
    expect(bodies.some((body) => body.equals(found))).toBe(true);
  });

  describe.runIf(abilities.relayed !== true)('with signed URLs', () => {
    const signing = async (url: string): Promise<SigningStore> => {
      const found = await partedStore(url);
      if (found.kind !== 'signing') throw new Error('The store signs nothing');
      return found;
    };
    const sendPart = async (url: string, uploadId: string, part: number, body: Buffer): Promise<void> => {
      const { url: partUrl } = await (
        await signing(url)
      ).sign(url, { kind: 'part', uploadId, part, bytes: body.length });
      const { statusCode, body: answer } = await request(partUrl, {
        method: 'PUT',
        body,
        dispatcher: store.dispatcher,
      });
      await answer.dump();
      expect(statusCode).toBeLessThan(300);
    };

    test('reports the size of an object, and undefined for one that does not exist', async () => {
      const [url, body] = [newUrl(), makeContent(1000)];
      await deliver(store.at.stores, url, body);
      expect(await (await signing(url)).sizeOf(url, signal)).toBe(body.length);
      expect(await (await signing(newUrl())).sizeOf(newUrl(), signal)).toBeUndefined();
    });

    test.skipIf(abilities.listsWrongPages)('lists more parts than one page has, in order', async () => {
      const url = newUrl();
      const uploadId = await begin(url);
      // A page of S3 has 1,000 parts.
      const parts = Array.from({ length: 1001 }, (_, index) => index + 1);
      for (let from = 0; from < parts.length; from += 20) {
        await Promise.all(parts.slice(from, from + 20).map((part) => sendPart(url, uploadId, part, Buffer.from('a'))));
      }
      const listed = await (await signing(url)).listParts(url, uploadId, signal);
      expect(listed?.map(({ part }) => part)).toEqual(parts);
      expect(listed?.every(({ bytes, etag }) => bytes === 1 && etag !== '')).toBe(true);
      await abortParts(await signing(url), url, uploadId, signal);
    });

    test('an upload of the only writer is aborted with its parts, and one that has ended keeps its object', async () => {
      const url = newUrl();
      const at = await signing(url);
      const [aborted, kept] = [await begin(url), await begin(url)];
      await sendPart(url, aborted, 1, makeContent(1000));
      await at.abortUpload(url, aborted, signal, { isOnlyWriter: true });
      expect((await at.listParts(url, aborted, signal)) ?? []).toEqual([]);
      expect(await at.sizeOf(url, signal)).toBeUndefined();
      await sendPart(url, kept, 1, makeContent(1000));
      await at.completeUpload(url, kept, (await at.listParts(url, kept, signal)) ?? [], signal);
      expect(await at.listParts(url, kept, signal)).toBeUndefined();
      await at.abortUpload(url, kept, signal, { isOnlyWriter: true });
      expect(await at.sizeOf(url, signal)).toBe(1000);
    });

    test.runIf(abilities.credentials)(
      'an upload whose signatures expire midway continues with new ones, and sends only the other parts',
      async () => {
        const [url, body] = [newUrl(), partedBody(4)];
        const [uploadId, storedParts] = [await begin(url), new Map<number, string>()];
        const at = await signing(url);
        const hourAgo = { from: new Date(Date.now() - 3_600_000), expiresSeconds: 60 };
        const expireLast = async ({ partUrls, ...rest }: PartUrls): Promise<PartUrls> => {
          const last = await at.sign(url, { kind: 'part', uploadId, part: partUrls.length }, hourAgo);
          return { ...rest, partUrls: [...partUrls.slice(0, -1), last.url] };
        };
        const first = deliver(store.at.stores, url, body, { uploadId, storedParts, changeUrls: expireLast });
        const refusal: unknown = await first.catch((error: unknown) => error);
        expect(refusal).toMatchObject({ code: 'upload_refused', details: { storeCode: expect.any(String) } });
        // The code makes the run sign again (activities/container/run-attempt.ts).
        const { details } = refusal as { details: { storeCode: string } };
        expect(isCredentialRefusal(details.storeCode)).toBe(abilities.misnamesExpiry !== true);
        const [before, missing] = [store.line.requests.length, 4 - storedParts.size];
        await deliver(store.at.stores, url, body, { uploadId, storedParts });
        expect(await store.keeps(url, body)).toBe(true);
        expect(partsSince(before)).toBe(missing);
      },
    );
  });
}
