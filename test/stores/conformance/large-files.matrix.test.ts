import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RequestUrls } from '../../../activities/storage/request-urls.ts';
import { type Digest, digestFile } from '../../../container/transfer/digest.ts';
import { usualPartSizes } from '../../../contract/part-plan.ts';
import { openStores, type Stores } from '../../../stores/backends.ts';
import { createTestAgent, downloadTo } from '../../container/transfer/ranged-source.ts';
import { startAzurite } from '../../support/azurite.ts';
import { openRelay, runOfTest } from '../../support/relay.ts';
import { startS3, versitygw } from '../../support/s3.ts';
import { startSftp } from '../../support/sftp.ts';
import { type LoginServer, startWebdav } from '../../support/webdav.ts';
import { containerSide } from './container-side.ts';

// No emulator of Google keeps such a file on its disk. Its requests are those of S3.
const fileBytes = 6 * 1024 ** 3;
const blockBytes = 1024 ** 2;

interface Place {
  stores: Stores;
  url: string;
  mediaRoot?: string;
  stop(): Promise<unknown>;
}

const s3Server = await versitygw();

async function placeBehindRelay(start: () => Promise<LoginServer>): Promise<Place> {
  const server = await start();
  const relay = await openRelay(server.loginsFile);
  const stop = async () => await Promise.all([relay.stop(), server.stop()]);
  return { stores: relay.stores, url: `${server.root}/film.mp4`, stop };
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async file() {
    const mediaRoot = await mkdtemp(join(tmpdir(), 'holdfast-large-'));
    const url = pathToFileURL(join(mediaRoot, 'film.mp4')).href;
    const stores = openStores({ MEDIA_ROOT: mediaRoot }, 600);
    return { stores, url, mediaRoot, stop: async () => await rm(mediaRoot, { recursive: true }) };
  },
  async s3() {
    const server = await startS3(['media'], s3Server);
    Object.assign(process.env, server.environment);
    const stores = openStores({ AWS_ENDPOINT_URL_S3: server.endpoint }, 7_200);
    return { stores, url: 's3://media/film.mp4', stop: server.stop };
  },
  async az() {
    const server = await startAzurite();
    const stores = openStores({ AZURE_STORAGE_CONNECTION_STRING: server.connectionString() }, 7_200);
    return { stores, url: `az://${server.account}/media/film.mp4`, stop: server.stop };
  },
  sftp: async () => await placeBehindRelay(startSftp),
  webdav: async () => await placeBehindRelay(startWebdav),
};

const savedEnvironment = { ...process.env };
const dispatcher = createTestAgent(300);
const unlimited = new AbortController().signal;
let folder: string;
let file: { path: string; digest: Digest };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-large-'));
  const path = join(folder, 'film.mp4');
  const handle = await open(path, 'w');
  // Blocks in every part make the parts different. The holes need no disk.
  for (let at = 0; at < fileBytes; at += 16 * blockBytes)
    await handle.write(randomBytes(blockBytes), 0, blockBytes, at);
  await handle.truncate(fileBytes);
  await handle.close();
  file = { path, digest: await digestFile(path, unlimited, () => {}) };
}, 600_000);
afterAll(async () => {
  process.env = savedEnvironment;
  await dispatcher.destroy();
  await rm(folder, { recursive: true });
});

test.each(Object.keys(places))(
  'stores a file of 6 GiB at %s, and reads the same back',
  { timeout: 1_800_000 },
  async (name) => {
    const place = await places[name]?.();
    if (place === undefined) throw new Error(`There is no place ${name}`);
    const { stores, url, mediaRoot } = place;
    const read = join(folder, 'read');
    try {
      await containerSide(dispatcher, mediaRoot, usualPartSizes).deliverFile(stores, url, file);
      const sourceUrl = await new RequestUrls(stores, runOfTest).resolveSource(url);
      await downloadTo(read, sourceUrl, { dispatcher, mediaRoot, maxBytes: Infinity, connections: 4 });
      const { size, sha256 } = await digestFile(read, unlimited, () => {});
      expect({ size, sha256 }).toEqual({ size: fileBytes, sha256: file.digest.sha256 });
    } finally {
      await place.stop();
      await rm(read, { force: true });
    }
  },
);
