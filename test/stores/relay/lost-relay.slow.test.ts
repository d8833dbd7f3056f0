import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isCredentialRefusal } from '../../../contract/store-answer.ts';
import { createTestAgent, fetchUrl } from '../../container/transfer/ranged-source.ts';
import { freePort } from '../../support/ports.ts';
import { openRelay } from '../../support/relay.ts';
import { startSftp } from '../../support/sftp.ts';
import { containerSide } from '../conformance/container-side.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const dispatcher = createTestAgent(20);
const content = randomBytes(3_000_000);
const noParts = { largestSinglePutBytes: Infinity, usualPartBytes: Infinity };
const container = containerSide(dispatcher, undefined, noParts);
const server = await stopAfterAll(startSftp());
const url = `${server.root}/in.wav`;
await writeFile(join(server.folder, 'in.wav'), content);
afterAll(() => dispatcher.destroy());

test('a download from a lost relay continues at a relay with the same key', async () => {
  const port = await freePort();
  const key = 'k'.repeat(32);
  const lost = await openRelay(server.loginsFile, { key, port });
  const signed = lost.sign(url, 'get');
  const begun = await fetch(signed);
  const headers = { range: 'bytes=1000-', 'if-range': begun.headers.get('etag') ?? '' };
  await begun.body?.cancel();
  await lost.stop();
  const next = await openRelay(server.loginsFile, { key, port });
  const rest = await fetch(signed, { headers });
  expect(rest.status).toBe(206);
  expect(Buffer.from(await rest.arrayBuffer()).equals(content.subarray(1000))).toBe(true);
  await next.stop();
});

test('a transfer whose relay ends fails like a lost connection, and succeeds with a fresh URL', async () => {
  const lost = await openRelay(server.loginsFile);
  const uploading = container.deliver(lost.stores, `${server.root}/out.mp3`, content, {
    onProgress: () => void lost.stop(),
  });
  await expect(uploading).rejects.toMatchObject({ code: 'upload_failed' });
  expect(await readdir(server.folder)).not.toContain('out.mp3');
  const downloading = fetchUrl(lost.sign(url, 'get'), { dispatcher });
  await expect(downloading).rejects.toMatchObject({ code: 'source_unavailable' });
  const next = await openRelay(server.loginsFile);
  await container.deliver(next.stores, `${server.root}/out.mp3`, content);
  expect((await readFile(join(server.folder, 'out.mp3'))).equals(content)).toBe(true);
  await next.stop();
});

test('a URL of a relay that has restarted with another key fails with an error that makes the run sign again', async () => {
  const port = await freePort();
  const before = await openRelay(server.loginsFile, { port });
  const signed = before.sign(url, 'get');
  await before.stop();
  const after = await openRelay(server.loginsFile, { port });
  const failure: unknown = await fetchUrl(signed, { dispatcher }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'source_not_found', details: { storeCode: 'InvalidToken' } });
  expect(isCredentialRefusal('InvalidToken')).toBe(true);
  await after.stop();
});
