import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Upload } from '@tus/server';
import { expect, test } from 'vitest';
import { GuardedStore } from '../../../server/files/guarded-store.ts';
import { testFolder } from '../../support/folder.ts';

const mebibyte = 1024 ** 2;

test('stops an upload of unknown length when the disk is full, and keeps the bytes written', async () => {
  const directory = testFolder();
  const path = join(directory, 'talk.wav');
  const leftBytes = 560 * mebibyte;
  const store = new GuardedStore({ directory }, async () => leftBytes - (await stat(path)).size);
  await store.create(new Upload({ id: 'talk.wav', offset: 0 }));
  const endless = Readable.from(
    (function* parts() {
      for (;;) yield Buffer.alloc(mebibyte);
    })(),
  );
  await expect(store.write(endless, 'talk.wav', 0)).rejects.toMatchObject({ code: 'insufficient_storage' });
  const { size } = await stat(path);
  // 512 MiB are reserved.
  expect(size).toBeLessThanOrEqual(48 * mebibyte);
  expect(size).toBeGreaterThanOrEqual(16 * mebibyte);
  expect(endless.destroyed).toBe(true);
});
