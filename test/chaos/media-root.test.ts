import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Storage } from '../../activities/storage/storage.ts';
import { openFileStore } from '../../stores/file/file-store.ts';
import type { DirectStore } from '../../stores/store.ts';
import { TestContainer } from '../support/container.ts';
import { useFolder } from '../support/folder.ts';
import { speechWav } from '../support/media.ts';
import { run } from '../support/process.ts';
import { stopAfterTest } from '../support/stop-after-all.ts';

/** Faults of the disk that containers and workers share. */

const folder = useFolder();
const filler = join(folder, 'filler');
const url = pathToFileURL(join(folder, 'chunk-00000.json')).href;
const answer = JSON.stringify({ text: 'word '.repeat(1_000) });

beforeEach(async () => {
  const { code, output } = await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
  expect(code, output).toBe(0);
  await expect(writeFile(filler, Buffer.alloc(65_536 * 2))).rejects.toMatchObject({ code: 'ENOSPC' });
});
afterEach(async () => {
  await run('umount', [folder]);
});

test('a worker stores the answer of a paid call as soon as a full disk has room again', async () => {
  const store = openFileStore(folder);
  let failures = 0;
  /** Somebody frees the disk after the first write has failed. */
  const freed: DirectStore = {
    ...store,
    async write(...content) {
      try {
        await store.write(...content);
      } catch (error) {
        failures += 1;
        await rm(filler);
        throw error;
      }
    },
  };
  const storage = new Storage({ at: async () => await Promise.resolve(freed) });
  await storage.write(await storage.placeFor(url), answer, 'application/json', AbortSignal.timeout(60_000));
  expect(failures).toBe(1);
  expect(await readFile(join(folder, 'chunk-00000.json'), 'utf8')).toBe(answer);
});

test('a full disk is a passing fault of the store, and leaves no partial file', async () => {
  const written = openFileStore(folder).write(url, Buffer.from(answer));
  await expect(written).rejects.toMatchObject({ name: 'StorageError', passing: true });
  expect((await run('ls', ['-A', folder])).output.trim()).toBe('filler');
});

test('a job fails as retryable while the disk is unreachable, and succeeds afterwards', async () => {
  const container = await stopAfterTest(TestContainer.start());
  const sourceUrl = container.fileUrl('in.wav');
  const outputs = [{ format: 'mp3_64', uploadUrl: container.fileUrl('out.mp3') }];
  await copyFile(speechWav, join(container.mediaRoot, 'in.wav'));
  // A mount whose server is gone answers ENOTCONN.
  const mount = 'exec 9<>/dev/fuse; mount -i -t fuse fuse "$0" -o fd=9,rootmode=40000,user_id=0,group_id=0';
  const { code, output } = await run('bash', ['-c', mount, container.mediaRoot]);
  expect(code, output).toBe(0);
  try {
    const elsewhere = 'http://127.0.0.1:1/';
    for (const [path, body, expected] of [
      ['/source', { sourceUrl }, 'source_unavailable'],
      ['/metadata', { sourceUrl }, 'source_unavailable'],
      ['/encode', { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl: elsewhere }] }, 'source_unavailable'],
      ['/encode', { sourceUrl: elsewhere, outputs }, 'upload_failed'],
    ] as const) {
      const answer = await container.call('POST', path, body);
      expect(answer, `${path} ${expected}`).toMatchObject({
        status: 502,
        body: { code: expected, details: { errno: 'ENOTCONN' } },
      });
    }
  } finally {
    await run('umount', [container.mediaRoot]);
  }
  expect(await container.call('POST', '/encode', { sourceUrl, outputs })).toMatchObject({ status: 200 });
});
