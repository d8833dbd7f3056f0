// What every store promises. A store is tested by a file beside this one, which starts its real server.
import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Storage } from '../../../activities/storage/storage.ts';
import type { Stores } from '../../../stores/backends.ts';
import { StorageError, UnusableFile } from '../../../stores/store-error.ts';
import { createTestAgent, makeContent } from '../../container/transfer/ranged-source.ts';
import type { FaultyLine } from '../../fixtures/faulty-line.ts';
import { type ContainerSide, containerSide } from './container-side.ts';

/** A running store. */
export interface ServedStore {
  /** The stores of a worker with good credentials. */
  stores: Stores;
  /** URL of the object or file with this name. */
  urlOf(name: string): string;
  /** The line to the server; undefined for a store that is reached in another way than HTTP. */
  line?: FaultyLine;
  mediaRoot?: string;
  /** The stores of a worker whose credentials the server refuses; undefined if the server checks none. */
  strangers?: Stores;
  stop(): Promise<void>;
}

/** Promises that not every store can make. */
interface Abilities {
  /** Its server is reached by HTTP, through a line that fails on command. */
  http: boolean;
  /** Bytes of a part in these tests, if large files are uploaded in parts. */
  partBytes?: number;
  /** Its server refuses wrong credentials. */
  credentials: boolean;
  /** Containers reach it through a relay, and the line is the one to the relay. */
  relayed?: boolean;
  /** The server that stands for the store mixes the bytes of two writers, as rclone's S3 server does. */
  mixesWriters?: boolean;
}

const oddNames = [
  'two words.bin',
  'Grüße 音声 🎬.bin',
  'a#b.bin',
  '100% of a%20b.bin',
  'quotes \'" (and) [more] & + = ; , ! $ @ ~ *.bin',
  'a question?.bin',
  `${'long'.repeat(50)}.bin`,
  // 1,000 characters
  `${`${'x'.repeat(199)}/`.repeat(4)}${'y'.repeat(196)}.bin`,
];

export function keepsPromises(name: string, start: () => Promise<ServedStore>, abilities: Abilities): void {
  describe(name, () => {
    const dispatcher = createTestAgent(20);
    const { partBytes = Infinity } = abilities;
    const partSizes = { largestSinglePutBytes: 2 * partBytes, usualPartBytes: partBytes };
    /** A body that is sent in this many parts, at least three. */
    const partedBody = (parts: number): Buffer => makeContent((parts - 1) * partBytes + 1);
    let at: ServedStore;
    let worker: Storage;
    let container: ContainerSide;

    beforeAll(async () => {
      at = await start();
      worker = new Storage(at.stores);
      container = containerSide(dispatcher, at.mediaRoot, partSizes);
    });
    afterAll(async () => {
      await dispatcher.destroy();
      await at?.stop();
    });

    // Each test has its own limit.
    const { signal } = new AbortController();
    const newUrl = () => at.urlOf(`${randomUUID()}.bin`);
    const writeText = (url: string, text: string) => worker.write(url, text, 'text/plain', signal);
    const readText = (url: string) => worker.readText(url, 1_000_000, signal);
    const lineOf = ({ line }: ServedStore): FaultyLine => {
      if (line === undefined) throw new Error('The store is reached by no line');
      return line;
    };

    test.each([0, 1, 100_000])('a container stores %i bytes by one request, and reads the same back', async (bytes) => {
      const [url, body] = [newUrl(), randomBytes(bytes)];
      await container.deliver(at.stores, url, body);
      expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
    });

    test.each(oddNames)('keeps a file named %s apart from all others', async (odd) => {
      const [url, body] = [at.urlOf(odd), makeContent(1000)];
      await container.deliver(at.stores, url, body);
      expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
      await writeText(url, odd);
      expect(await readText(url)).toBe(odd);
    });

    test('a worker reads what it has written, and a later text replaces an earlier one', async () => {
      const url = newUrl();
      await writeText(url, 'the first and longer text');
      await writeText(url, 'the second');
      expect(await readText(url)).toBe('the second');
      await writeText(url, '');
      expect(await readText(url)).toBe('');
    });

    test('reports a file that does not exist as unusable, which no retry can help', async () => {
      await expect(readText(newUrl())).rejects.toMatchObject({ name: 'UnusableFile', passing: false });
    });

    test('removes a file, and ignores one that does not exist', async () => {
      const url = newUrl();
      await writeText(url, 'text');
      await worker.remove(url, signal);
      await expect(readText(url)).rejects.toBeInstanceOf(UnusableFile);
      await worker.remove(url, signal);
    });

    test.skipIf(abilities.mixesWriters)('two writers at once leave the whole file of one of them', async () => {
      const url = newUrl();
      const bodies = [makeContent(100_000), makeContent(90_000)];
      await Promise.all(bodies.map((body) => container.deliver(at.stores, url, body)));
      const found = await container.fetch(at.stores, url);
      expect(bodies.some((body) => body.equals(found))).toBe(true);
    });

    describe.runIf(abilities.http)('over a line that fails', () => {
      test('repeats a PUT that the server answers with 503 and Retry-After', async () => {
        const [url, body] = [newUrl(), makeContent(1000)];
        lineOf(at).failNext(/^PUT /, { kind: 'answer', status: 503, headers: { 'retry-after': '1' } });
        expect(await container.deliver(at.stores, url, body)).toBe(1);
        expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
        if (abilities.relayed !== true) {
          lineOf(at).failNext(/^PUT /, { kind: 'answer', status: 503, headers: { 'retry-after': '1' } });
        }
        await writeText(url, 'by the worker');
        expect(await readText(url)).toBe('by the worker');
      });

      test('an interrupted upload leaves the old file whole', async () => {
        const url = newUrl();
        await writeText(url, 'the old file');
        const ended = new AbortController();
        const sent = container.deliver(at.stores, url, makeContent(120_000), {
          signal: ended.signal,
          onProgress: () => ended.abort(new Error('the job was cancelled')),
        });
        await expect(sent).rejects.toThrow('the job was cancelled');
        expect(await readText(url)).toBe('the old file');
      });

      test('continues a download whose connection is reset', async () => {
        const [url, body] = [newUrl(), makeContent(120_000)];
        await container.deliver(at.stores, url, body);
        const before = lineOf(at).requests.length;
        lineOf(at).failNext(/^GET /, { kind: 'cut_answer', bytes: 50_000 });
        expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
        expect(lineOf(at).requests.length - before).toBe(2);
      });

      test('a download never mixes two versions of a file that changes while it is read', async () => {
        const url = newUrl();
        const [older, newer] = [makeContent(120_000), randomBytes(130_000)];
        await container.deliver(at.stores, url, older);
        const before = lineOf(at).requests.length;
        lineOf(at).failNext(/^GET /, { kind: 'cut_answer', bytes: 50_000 });
        // The request after this one usually finds the newer version.
        lineOf(at).failNext(/^GET /, { kind: 'answer', status: 503, headers: { 'retry-after': '1' } });
        const fetching = container.fetch(at.stores, url);
        await expect.poll(() => lineOf(at).requests.length - before).toBeGreaterThanOrEqual(2);
        await container.deliver(at.stores, url, newer);
        const found = await fetching;
        expect([older, newer].some((body) => body.equals(found))).toBe(true);
      });

      test('repeats an upload whose connection is reset', async () => {
        const [url, body] = [newUrl(), makeContent(120_000)];
        lineOf(at).failNext(/^PUT /, { kind: 'cut_request', bytes: 60_000 });
        expect(await container.deliver(at.stores, url, body)).toBe(1);
        expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
      });
    });

    describe.runIf(abilities.credentials)('with wrong credentials', () => {
      test('refuses a container and a worker, and the errors contain no signature', async () => {
        const { strangers } = at;
        if (strangers === undefined) throw new Error('The store has no strangers');
        const url = newUrl();
        const refused: unknown = await container
          .deliver(strangers, url, makeContent(1000))
          .catch((error: unknown) => error);
        expect(refused).toMatchObject({ code: 'upload_refused', details: { status: 403 } });
        const denied: unknown = await new Storage(strangers)
          .readText(url, 1000, signal)
          .catch((error: unknown) => error);
        expect(denied).toBeInstanceOf(StorageError);
        for (const error of [refused, denied]) expect(String(error)).not.toMatch(/signature=|sig=/i);
      });
    });

    describe.runIf(abilities.partBytes !== undefined)('in parts', () => {
      const signing = async (url: string) => {
        const store = await at.stores.at(url);
        if (store?.kind !== 'signing') throw new Error('The store signs nothing');
        return store;
      };
      const begin = async (url: string) =>
        await (await signing(url)).beginUpload(url, { contentType: 'video/mp4' }, signal);

      test('a container stores a large file, and reads the same back', async () => {
        const [url, body] = [newUrl(), partedBody(4)];
        await container.deliver(at.stores, url, body);
        expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
        expect(await (await signing(url)).sizeOf(url, signal)).toBe(body.length);
      });

      test('the size of an object that does not exist is undefined', async () => {
        expect(await (await signing(newUrl())).sizeOf(newUrl(), signal)).toBeUndefined();
      });

      test('an unfinished upload shows no part of the file, and another worker finishes it', async () => {
        const [url, body] = [newUrl(), partedBody(5)];
        const uploadId = await begin(url);
        const ended = new AbortController();
        const halfway = container.deliver(at.stores, url, body, {
          uploadId,
          signal: ended.signal,
          // Parts are sent four at a time, so the last byte, which is the fifth part, is sent after another part is stored.
          onProgress: (bytes) => bytes === body.length && ended.abort(new Error('the worker was lost')),
        });
        await expect(halfway).rejects.toThrow('the worker was lost');
        await expect(readText(url)).rejects.toBeInstanceOf(UnusableFile);
        const stored = await (await signing(url)).listParts(url, uploadId, signal);
        expect(stored?.length).toBeGreaterThan(0);
        const before = at.line?.requests.length ?? 0;
        const storedParts = new Map(stored?.map(({ part, etag }) => [part - 1, etag]));
        await container.deliver(at.stores, url, body, { uploadId, storedParts });
        expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
        const puts = at.line?.requests
          .slice(before)
          .filter((request) => /^PUT .*(?:partNumber|comp=block&)/.test(request));
        expect(puts?.length).toBe(5 - (stored?.length ?? 0));
      });

      test('an aborted upload stores nothing', async () => {
        const url = newUrl();
        const store = await signing(url);
        const uploadId = await begin(url);
        await store.abortUpload(url, uploadId, signal);
        await store.abortUpload(url, uploadId, signal);
        expect(await store.sizeOf(url, signal)).toBeUndefined();
      });

      test('an upload of the only writer is aborted with its parts, and one that has ended keeps its object', async () => {
        const url = newUrl();
        const store = await signing(url);
        const sendPart = async (uploadId: string): Promise<void> => {
          const body = makeContent(1000);
          const { url: partUrl } = await store.sign(url, { kind: 'part', uploadId, part: 1, bytes: body.length });
          expect((await request(partUrl, { method: 'PUT', body, dispatcher })).statusCode).toBeLessThan(300);
        };
        const [aborted, kept] = [await begin(url), await begin(url)];
        await sendPart(aborted);
        await store.abortUpload(url, aborted, signal, { isOnlyWriter: true });
        expect((await store.listParts(url, aborted, signal)) ?? []).toEqual([]);
        expect(await store.sizeOf(url, signal)).toBeUndefined();
        await sendPart(kept);
        await store.completeUpload(url, kept, (await store.listParts(url, kept, signal)) ?? [], signal);
        expect(await store.listParts(url, kept, signal)).toBeUndefined();
        await store.abortUpload(url, kept, signal, { isOnlyWriter: true });
        expect(await store.sizeOf(url, signal)).toBe(1000);
      });

      test('keeps a file whose key has 1,000 characters', async () => {
        const start = 'folder of a long path/'.repeat(45);
        const [url, body] = [at.urlOf(start + 'a'.repeat(1000 - start.length)), partedBody(3)];
        await container.deliver(at.stores, url, body);
        expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
      });

      test('sends only the part again whose connection is reset or that is answered with 503', async () => {
        const [url, body] = [newUrl(), makeContent(3 * partBytes)];
        const uploadId = await begin(url);
        const before = lineOf(at).requests.length;
        lineOf(at).failNext(/^PUT /, { kind: 'cut_request', bytes: partBytes / 2 });
        lineOf(at).failNext(/^PUT /, { kind: 'answer', status: 503, headers: { 'retry-after': '1' } });
        expect(await container.deliver(at.stores, url, body, { uploadId })).toBe(2);
        expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
        const sent = lineOf(at).requests.slice(before);
        expect(sent.filter((request) => /^PUT .*(?:partNumber|comp=block&)/.test(request))).toHaveLength(5);
      });

      test('stores the file if the answer to the completion is lost', async () => {
        const [url, body] = [newUrl(), partedBody(3)];
        const uploadId = await begin(url);
        lineOf(at).failNext(/^POST |comp=blocklist/, { kind: 'cut_answer', bytes: 0 });
        await container.deliver(at.stores, url, body, { uploadId });
        expect((await container.fetch(at.stores, url)).equals(body)).toBe(true);
      });

      test.skipIf(abilities.mixesWriters)(
        'two uploads in parts at once leave the whole file of one of them',
        async () => {
          const url = newUrl();
          const bodies = [partedBody(3), partedBody(4)];
          await Promise.all(bodies.map((body) => container.deliver(at.stores, url, body)));
          const found = await container.fetch(at.stores, url);
          expect(bodies.some((body) => body.equals(found))).toBe(true);
        },
      );
    });
  });
}
