// A store that serves the tests of one file, and what these tests need of it.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { Storage } from '../../../activities/storage/storage.ts';
import type { Stores } from '../../../stores/backends.ts';
import { createTestAgent } from '../../container/transfer/ranged-source.ts';
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
export interface Abilities {
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
  /** The server that stands for the store lists a wrong part on a second page, as rclone's S3 server does. */
  listsWrongPages?: boolean;
  /** The emulator reports an expired signature by another code than the real store, as Azurite does. */
  misnamesExpiry?: boolean;
}

/** Starts the store before the tests of a file, and stops it after them. */
export function useStore(start: () => Promise<ServedStore>, { partBytes = Infinity }: Abilities) {
  const dispatcher = createTestAgent(20);
  const partSizes = { largestSinglePutBytes: 2 * partBytes, usualPartBytes: partBytes };
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
  return {
    get at() {
      return at;
    },
    get worker() {
      return worker;
    },
    get container() {
      return container;
    },
    get line(): FaultyLine {
      if (at.line === undefined) throw new Error('The store is reached by no line');
      return at.line;
    },
    dispatcher,
    signal,
    newUrl: () => at.urlOf(`${randomUUID()}.bin`),
    writeText: (url: string, text: string) => worker.write(url, text, 'text/plain', signal),
    readText: (url: string) => worker.readText(url, 1_000_000, signal),
    async keeps(url: string, body: Buffer): Promise<boolean> {
      return (await container.fetch(at.stores, url)).equals(body);
    },
  };
}
export type StoreOfTests = ReturnType<typeof useStore>;
