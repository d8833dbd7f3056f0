// What every store promises. A store is tested by a file beside this one, which starts its real server.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Storage } from '../../../activities/storage/storage.ts';
import { StorageError, UnusableFile } from '../../../stores/store-error.ts';
import { makeContent } from '../../container/transfer/ranged-source.ts';
import { keepsPromisesInParts } from './part-promises.ts';
import { type Abilities, type ServedStore, useStore } from './suite.ts';

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
    const store = useStore(start, abilities);

    test.each([0, 1, 100_000])('a container stores %i bytes by one request, and reads the same back', async (bytes) => {
      const [url, body] = [store.newUrl(), randomBytes(bytes)];
      await store.container.deliver(store.at.stores, url, body);
      expect(await store.keeps(url, body)).toBe(true);
    });

    test.each(oddNames)('keeps a file named %s apart from all others', async (odd) => {
      const [url, body] = [store.at.urlOf(odd), makeContent(1000)];
      await store.container.deliver(store.at.stores, url, body);
      expect(await store.keeps(url, body)).toBe(true);
      await store.writeText(url, odd);
      expect(await store.readText(url)).toBe(odd);
    });

    test('a worker reads what it has written, and a later text replaces an earlier one', async () => {
      const url = store.newUrl();
      await store.writeText(url, 'the first and longer text');
      await store.writeText(url, 'the second');
      expect(await store.readText(url)).toBe('the second');
      await store.writeText(url, '');
      expect(await store.readText(url)).toBe('');
    });

    test('reports a file that does not exist as unusable, which no retry can help', async () => {
      await expect(store.readText(store.newUrl())).rejects.toMatchObject({ name: 'UnusableFile', passing: false });
    });

    test('removes a file, and ignores one that does not exist', async () => {
      const url = store.newUrl();
      await store.writeText(url, 'text');
      await store.worker.remove(url, store.signal);
      await expect(store.readText(url)).rejects.toBeInstanceOf(UnusableFile);
      await store.worker.remove(url, store.signal);
    });

    test.skipIf(abilities.mixesWriters)('two writers at once leave the whole file of one of them', async () => {
      const url = store.newUrl();
      const bodies = [makeContent(100_000), makeContent(90_000)];
      await Promise.all(bodies.map((body) => store.container.deliver(store.at.stores, url, body)));
      const found = await store.container.fetch(store.at.stores, url);
      expect(bodies.some((body) => body.equals(found))).toBe(true);
    });

    describe.runIf(abilities.http)('over a line that fails', () => {
      test('repeats a PUT that the server answers with 503 and Retry-After', async () => {
        const [url, body] = [store.newUrl(), makeContent(1000)];
        store.line.failNext(/^PUT /, { kind: 'answer', status: 503, headers: { 'retry-after': '1' } });
        expect(await store.container.deliver(store.at.stores, url, body)).toBe(1);
        expect(await store.keeps(url, body)).toBe(true);
        if (abilities.relayed !== true) {
          store.line.failNext(/^PUT /, { kind: 'answer', status: 503, headers: { 'retry-after': '1' } });
        }
        await store.writeText(url, 'by the worker');
        expect(await store.readText(url)).toBe('by the worker');
      });

      test('an interrupted upload leaves the old file whole', async () => {
        const url = store.newUrl();
        await store.writeText(url, 'the old file');
        const ended = new AbortController();
        const sent = store.container.deliver(store.at.stores, url, makeContent(1_500_000), {
          signal: ended.signal,
          onProgress: () => ended.abort(new Error('the job was cancelled')),
        });
        await expect(sent).rejects.toThrow('the job was cancelled');
        expect(await store.readText(url)).toBe('the old file');
      });

      test('continues a download whose connection is reset', async () => {
        const [url, body] = [store.newUrl(), makeContent(120_000)];
        await store.container.deliver(store.at.stores, url, body);
        const before = store.line.requests.length;
        store.line.failNext(/^GET /, { kind: 'cut_answer', bytes: 50_000 });
        expect(await store.keeps(url, body)).toBe(true);
        expect(store.line.requests.length - before).toBe(2);
      });

      test('a download never mixes two versions of a file that changes while it is read', async () => {
        const url = store.newUrl();
        const [older, newer] = [makeContent(120_000), randomBytes(130_000)];
        await store.container.deliver(store.at.stores, url, older);
        const before = store.line.requests.length;
        store.line.failNext(/^GET /, { kind: 'cut_answer', bytes: 50_000 });
        // The request after this one usually finds the newer version.
        store.line.failNext(/^GET /, { kind: 'answer', status: 503, headers: { 'retry-after': '1' } });
        const fetching = store.container.fetch(store.at.stores, url);
        await expect.poll(() => store.line.requests.length - before).toBeGreaterThanOrEqual(2);
        await store.container.deliver(store.at.stores, url, newer);
        const found = await fetching;
        expect([older, newer].some((body) => body.equals(found))).toBe(true);
      });

      test('repeats an upload whose connection is reset', async () => {
        const [url, body] = [store.newUrl(), makeContent(120_000)];
        store.line.failNext(/^PUT /, { kind: 'cut_request', bytes: 60_000 });
        expect(await store.container.deliver(store.at.stores, url, body)).toBe(1);
        expect(await store.keeps(url, body)).toBe(true);
      });
    });

    describe.runIf(abilities.credentials)('with wrong credentials', () => {
      test('refuses a container and a worker, and the errors contain no signature', async () => {
        const { strangers } = store.at;
        if (strangers === undefined) throw new Error('The store has no strangers');
        const url = store.newUrl();
        const refused: unknown = await store.container
          .deliver(strangers, url, makeContent(1000))
          .catch((error: unknown) => error);
        expect(refused).toMatchObject({ code: 'upload_refused', details: { status: 403 } });
        const denied: unknown = await new Storage(strangers)
          .readText(url, 1000, store.signal)
          .catch((error: unknown) => error);
        expect(denied).toBeInstanceOf(StorageError);
        for (const error of [refused, denied]) expect(String(error)).not.toMatch(/signature=|sig=/i);
      });
    });

    const { partBytes } = abilities;
    describe.runIf(partBytes !== undefined)('in parts', () => keepsPromisesInParts(store, partBytes ?? 0, abilities));
  });
}
