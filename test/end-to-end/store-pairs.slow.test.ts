import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RequestUrls } from '../../activities/storage/request-urls.ts';
import { usualPartSizes } from '../../contract/part-plan.ts';
import { defaultTaskQueue } from '../../contract/task-queues.ts';
import { openStores } from '../../stores/backends.ts';
import { CommandSandbox } from '../cli/command-sandbox.ts';
import { createTestAgent, sha256Of } from '../container/transfer/ranged-source.ts';
import { containerSide } from '../stores/conformance/container-side.ts';
import { startAzurite } from '../support/azurite.ts';
import { googleKeyFile, startFakeGcs } from '../support/google.ts';
import { RunHistory } from '../support/history.ts';
import { longWav } from '../support/media.ts';
import { rowsExcept } from '../support/rows.ts';
import { startS3 } from '../support/s3.ts';
import { startSftp } from '../support/sftp.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';
import { startWebdav } from '../support/webdav.ts';

const [s3, azurite, gcs, key, sftp, webdav, wav] = await Promise.all([
  stopAfterAll(startS3(['media'])),
  stopAfterAll(startAzurite()),
  stopAfterAll(startFakeGcs()),
  stopAfterAll(googleKeyFile()),
  stopAfterAll(startSftp()),
  stopAfterAll(startWebdav()),
  longWav({ seconds: 12 }),
]);
const loginsFile = `${sftp.loginsFile}.both`;
const logins = await Promise.all([sftp, webdav].map(async ({ loginsFile }) => await readFile(loginsFile, 'utf8')));
const both = logins.map((text) => JSON.parse(text) as object);
await writeFile(loginsFile, JSON.stringify(Object.assign({}, ...both)));

const settings = {
  ...s3.environment,
  AZURE_STORAGE_CONNECTION_STRING: azurite.connectionString(),
  GOOGLE_APPLICATION_CREDENTIALS: key.path,
  STORAGE_EMULATOR_HOST: gcs.endpoint,
  STORE_LOGINS_FILE: loginsFile,
  ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
};
const savedEnvironment = { ...process.env };
Object.assign(process.env, s3.environment);
const stores = openStores({ ...settings, ALLOW_PRIVATE_ADDRESSES: undefined }, 3_600);
const dispatcher = createTestAgent(20);
const container = containerSide(dispatcher, undefined, usualPartSizes);

/** Folders of stores in which a worker writes, with the path of their files on this machine if the disk shows them. */
const folders = {
  s3: { url: 's3://media', path: undefined },
  az: { url: `az://${azurite.account}/media`, path: undefined },
  gs: { url: 'gs://media', path: undefined },
  sftp: { url: sftp.root, path: sftp.folder },
  webdav: { url: webdav.root, path: webdav.folder },
} as const;
type StoreName = keyof typeof folders;
const storeNames = Object.keys(folders) as StoreName[];

const nameAt = (place: string): string => `talk #1, 100% ${place}`;
const sourceAt = (name: StoreName): string => `${folders[name].url}/${nameAt(name)}.wav`;

async function read(name: StoreName, file: string): Promise<Buffer> {
  const { url, path } = folders[name];
  return path === undefined ? await container.fetch(stores, `${url}/${file}`) : await readFile(join(path, file));
}

const sandbox = await CommandSandbox.create();
let client: Client;
/** Every place from which a run can read. */
let sources: string[];

beforeAll(async () => {
  sandbox.setVariables(settings);
  const body = await readFile(wav);
  for (const name of storeNames) {
    const { path } = folders[name];
    if (path === undefined) await container.deliver(stores, sourceAt(name), body);
    else await copyFile(wav, join(path, `${nameAt(name)}.wav`));
  }
  await copyFile(wav, join(sandbox.folder, `${nameAt('file')}.wav`));
  await container.deliver(stores, `s3://media/${nameAt('https')}.wav`, body);
  const signed = await new RequestUrls(stores, undefined).resolveSource(`s3://media/${nameAt('https')}.wav`);
  sources = [...storeNames.map(sourceAt), `${nameAt('file')}.wav`, signed];
  await sandbox.start();
  client = new Client({ connection: await Connection.connect({ address: `127.0.0.1:${sandbox.ports.temporal}` }) });
});
afterAll(async () => {
  await client?.connection.close();
  await sandbox.remove();
  await dispatcher.destroy();
  process.env = savedEnvironment;
});

interface Outcome {
  runs: { status: string; result: { outputs: { sha256: string }[] } }[];
}

async function encodeAll(out: string): Promise<string[]> {
  const command = sandbox.npm('encode', '--', ...sources, '--format', 'flac', '--out', out, '--json');
  expect((await command.exited).code, command.output).toBe(0);
  const { output } = command;
  const json = JSON.parse(output.slice(output.indexOf('{\n'), output.lastIndexOf('\n}') + 2)) as Outcome;
  return json.runs.map(({ result }) => result.outputs[0]?.sha256 ?? '');
}

const places = [...storeNames, 'file', 'https'];

test.each(rowsExcept(['s3', 'gs', 'webdav'], storeNames))(
  '`npm run encode` writes a source of each store to %s',
  async (name) => {
    const digests = await encodeAll(`${folders[name].url}/out/`);
    expect(digests).toHaveLength(places.length);
    for (const [index, place] of places.entries()) {
      expect(sha256Of(await read(name, `out/${nameAt(place)}.flac`)), place).toBe(digests[index]);
    }
  },
);

test('`npm run encode` writes a source of each store to a local folder', async () => {
  const digests = await encodeAll('out');
  for (const [index, place] of places.entries()) {
    const bytes = await readFile(join(sandbox.folder, 'out', `${nameAt(place)}.flac`));
    expect(sha256Of(bytes), place).toBe(digests[index]);
  }
});

/** Each store, and the one after it. */
const ring = storeNames.map((name, index): [StoreName, StoreName] => [
  name,
  storeNames[(index + 1) % storeNames.length] ?? name,
]);

async function run(type: 'chunking' | 'processing', from: StoreName, to: StoreName): Promise<unknown> {
  const input = { sourceUrl: sourceAt(from), uploadUrlPrefix: `${folders[to].url}/${type}/`, chunkDuration: 10 };
  const started = { taskQueue: defaultTaskQueue, workflowId: `${type} ${from} ${to}`, args: [input] };
  return await client.workflow.execute(type, started);
}

test.each(rowsExcept(['s3', 'az', 'gs', 'webdav'], ring))(
  '`chunking` reads from %s and writes to %s',
  async (from, to) => {
    const { chunks } = (await run('chunking', from, to)) as { chunks: { sha256: string; url: string }[] };
    expect(chunks.length).toBeGreaterThan(1);
    for (const { sha256, url } of chunks) {
      expect(sha256Of(await read(to, url.slice(folders[to].url.length + 1)))).toBe(sha256);
    }
  },
);

test.each(rowsExcept(['s3', 'gs', 'sftp', 'webdav'], ring))(
  '`processing` reads from %s and writes to %s',
  async (from, to) => {
    const prefix = `${folders[to].url}/processing/`;
    const result = JSON.stringify(await run('processing', from, to));
    const files = new Set(
      [...result.matchAll(/"((?:s3|az|gs|sftp|webdav)[^"]+\/processing\/[^"]+)"/g)].map(([, url]) => url),
    );
    expect(files.size).toBeGreaterThan(2);
    for (const url of files) {
      expect(url?.startsWith(prefix)).toBe(true);
      expect((await read(to, url?.slice(folders[to].url.length + 1) ?? '')).length).toBeGreaterThan(0);
    }
  },
);

test('no key or signature of a store enters the history of a run', async () => {
  const histories: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    histories.push((await RunHistory.of(client.workflow.getHandle(workflowId, runId))).text());
  }
  const secrets = /sig=|X-Goog-Signature|AccountKey|PRIVATE KEY|X-Holdfast-Signature|pass-phrase/;
  expect(histories.flatMap((text) => secrets.exec(text)?.[0] ?? [])).toEqual([]);
  for (const name of storeNames) expect(histories.some((text) => text.includes(sourceAt(name)))).toBe(true);
});
