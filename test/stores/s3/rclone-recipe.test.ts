import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openStores } from '../../../stores/backends.ts';
import { createTestAgent } from '../../container/transfer/ranged-source.ts';
import { freePort, isOpen } from '../../support/ports.ts';
import { run, TestProcess, testEnvironment } from '../../support/process.ts';
import { textOf } from '../../support/project-files.ts';
import { toolPath } from '../../support/tools.ts';
import { startWebdav } from '../../support/webdav.ts';
import { containerSide } from '../conformance/container-side.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

// The recipe of docs/reference/urls.md, with a WebDAV server as the store that Holdfast does not know.

const partBytes = 5 * 1024 ** 2;
const dispatcher = createTestAgent(20);
const container = containerSide(dispatcher, undefined, {
  largestSinglePutBytes: 2 * partBytes,
  usualPartBytes: partBytes,
});
const savedEnvironment = { ...process.env };
const rclone = await toolPath('RCLONE_PATH');

const store = await stopAfterAll(startWebdav());
await mkdir(join(store.folder, 'media'));
const [, command = ''] = /^rclone (serve s3 .*) dropbox:$/m.exec(textOf('docs/reference/urls.md')) ?? [];
const [port, { output: hidden }] = [await freePort(), await run(rclone, ['obscure', store.password])];
const url = store.root.replace('webdav+', '');
const args = command
  .replace('127.0.0.1:8333', `127.0.0.1:${port}`)
  .replace('"$AWS_ACCESS_KEY_ID,$AWS_SECRET_ACCESS_KEY"', 'recipe,recipe-secret')
  .split(' ');
const remote = `:webdav,url="${url}",vendor=other,user=media,pass=${hidden.trim()}:`;
const server = new TestProcess('rclone', rclone, [...args, '--config', '/dev/null', remote], testEnvironment());
await server.until('open port', () => isOpen(port));
Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'recipe', AWS_SECRET_ACCESS_KEY: 'recipe-secret' });
const stores = openStores({ AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` }, 600);
afterAll(async () => {
  process.env = savedEnvironment;
  await dispatcher.destroy();
  await server.stop('SIGTERM', 5_000);
});

test.each([0, 1_000_000, 4 * partBytes - 1])(
  'a container stores %i bytes by the recipe, and reads them back',
  async (bytes) => {
    const [name, body] = [`talk #${bytes}, 100%.wav`, randomBytes(bytes)];
    await container.deliver(stores, `s3://media/${name}`, body);
    expect((await readFile(join(store.folder, 'media', name))).equals(body)).toBe(true);
    expect((await container.fetch(stores, `s3://media/${name}`)).equals(body)).toBe(true);
  },
);

test('an interrupted upload leaves nothing in the store', async () => {
  const ended = new AbortController();
  const sent = container.deliver(stores, 's3://media/cut.wav', randomBytes(4 * partBytes), {
    signal: ended.signal,
    onProgress: () => ended.abort(new Error('the job was cancelled')),
  });
  await expect(sent).rejects.toThrow('the job was cancelled');
  expect(await readdir(join(store.folder, 'media'))).not.toContain('cut.wav');
});
