/**
 * npm run bench:stores [-- MiB [store …]]: how fast does Holdfast write a file to each store and read it back, beside the
 * store's own tool on this machine, and how much memory does that take? Each transfer by a container's code has a process
 * of its own, with the flags of a container. The relay of SFTP and WebDAV has one, too. 256 MiB by default; 4096 is long
 * enough for figures to publish.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { RequestUrls } from '../activities/storage/request-urls.ts';
import { type Digest, digestFile } from '../container/transfer/digest.ts';
import { containerNodeFlags } from '../contract/defaults.ts';
import { planParts, usualPartSizes } from '../contract/part-plan.ts';
import { openStores, type Stores } from '../stores/backends.ts';
import { RelayUrls } from '../stores/relay/relay-urls.ts';
import { targetFor } from '../test/stores/conformance/container-side.ts';
import { startAzurite } from '../test/support/azurite.ts';
import { googleKeyFile, startFakeGcs } from '../test/support/google.ts';
import { freePort } from '../test/support/ports.ts';
import { TestProcess, testEnvironment } from '../test/support/process.ts';
import { allowing, runOfTest } from '../test/support/relay.ts';
import { startS3, versitygw } from '../test/support/s3.ts';
import { startWebdav } from '../test/support/webdav.ts';
import { type Cost, cost } from './cost.ts';
import { peakMebibytes } from './process-memory.ts';
import { compare, inUnit, ratio, report } from './report.ts';
import type { Transfer } from './store-transfer.ts';

const execute = promisify(execFile);
const [size = '256', ...chosen] = process.argv.slice(2);
const mebibytes = Number(size);
const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-stores-'));

interface Place {
  stores: Stores;
  url: string;
  mediaRoot?: string;
  /** No emulator of Google has uploads in parts. */
  inParts?: boolean;
  /** Writes the file by the store's own tool, and reads it. */
  writeByTool(path: string): Promise<unknown>;
  readByTool(path: string): Promise<unknown>;
  /** Process of the relay; undefined for a store that needs none. */
  relayPid?: number;
  stop(): Promise<void>;
}

/** What a part prints when it is ready. */
interface PartFacts {
  server: string;
  root: string;
  folder: string;
  loginsFile: string;
  privateKeyFile: string;
}

async function startPart(...args: string[]) {
  const part = new TestProcess(args[0] ?? '', process.execPath, ['bench/store-part.ts', ...args], testEnvironment());
  const facts = (await part.untilLogged('ready')) as unknown as PartFacts;
  return { pid: part.pid, facts, stop: async () => void (await part.stop()) };
}

/** The stores of a worker whose relay is another process. */
async function startRelayFor(loginsFile: string) {
  const [port, key] = [await freePort(), 'k'.repeat(32)];
  const relay = await startPart('relay', loginsFile, String(port), key);
  const urls = new RelayUrls({ address: `http://127.0.0.1:${port}`, key });
  const variables = { STORE_LOGINS_FILE: loginsFile, ALLOW_PRIVATE_ADDRESSES: allowing('127.0.0.1') };
  return { stores: openStores(variables, 3600, urls), relayPid: relay.pid, stop: relay.stop };
}

const curl = async (...args: string[]) => await execute('curl', ['-sSf', '--globoff', ...args]);

/** curl with signed URLs: one PUT and one GET. */
function byCurl(stores: Stores, url: string, headers: readonly string[] = []) {
  const urls = new RequestUrls(stores, runOfTest);
  return {
    writeByTool: async (path: string) =>
      await curl(...headers.flatMap((header) => ['-H', header]), '-T', path, await urls.resolveUpload(url)),
    readByTool: async (path: string) => await curl('-o', path, await urls.resolveSource(url)),
  };
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async file() {
    const mediaRoot = await mkdtemp(join(tmpdir(), 'holdfast-bench-files-'));
    const url = pathToFileURL(join(mediaRoot, 'film.mp4')).href;
    const stop = async () => await rm(mediaRoot, { recursive: true });
    const copy = async (from: string, to: string) => await execute('cp', ['--reflink=never', from, to]);
    const tool = {
      writeByTool: async (path: string) => await copy(path, fileURLToPath(url)),
      readByTool: async (path: string) => await copy(fileURLToPath(url), path),
    };
    return { stores: openStores({ MEDIA_ROOT: mediaRoot }, 3600), url, mediaRoot, ...tool, stop };
  },
  async s3() {
    const s3 = await startS3(['media'], await versitygw());
    Object.assign(process.env, s3.environment);
    const stores = openStores({ AWS_ENDPOINT_URL_S3: s3.endpoint }, 3600);
    const url = 's3://media/film.mp4';
    return { stores, url, ...byCurl(stores, url), stop: s3.stop };
  },
  async az() {
    const azurite = await startAzurite();
    const stores = openStores({ AZURE_STORAGE_CONNECTION_STRING: azurite.connectionString() }, 3600);
    const url = `az://${azurite.account}/media/film.mp4`;
    return { stores, url, ...byCurl(stores, url, ['x-ms-blob-type: BlockBlob']), stop: azurite.stop };
  },
  async gs() {
    const [server, key] = await Promise.all([startFakeGcs(), googleKeyFile()]);
    const variables = { GOOGLE_APPLICATION_CREDENTIALS: key.path, STORAGE_EMULATOR_HOST: server.endpoint };
    const stores = openStores(variables, 3600);
    const url = 'gs://media/film.mp4';
    const stop = async () => void (await Promise.all([server.stop(), key.remove()]));
    return { stores, url, inParts: false, ...byCurl(stores, url), stop };
  },
  async sftp() {
    const { facts: server, stop: stopServer } = await startPart('sftp');
    const { stores, relayPid, stop } = await startRelayFor(server.loginsFile);
    const { port } = new URL(server.server);
    // `sftp` ignores keys that others may read.
    await chmod(server.privateKeyFile, 0o600);
    const sftp = async (line: string): Promise<void> => {
      const batch = join(folder, 'batch');
      await writeFile(batch, `${line}\n`);
      const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'];
      const args = [...options.flatMap((option) => ['-o', option]), '-i', server.privateKeyFile, '-P', port];
      await execute('sftp', [...args, '-b', batch, 'media@127.0.0.1']);
    };
    return {
      stores,
      relayPid,
      url: `${server.root}/film.mp4`,
      writeByTool: async (path) => await sftp(`put ${path} ${server.folder}/film.mp4`),
      readByTool: async (path) => await sftp(`get ${server.folder}/film.mp4 ${path}`),
      stop: async () => void (await Promise.all([stop(), stopServer()])),
    };
  },
  async webdav() {
    const server = await startWebdav();
    const { stores, relayPid, stop } = await startRelayFor(server.loginsFile);
    const [login, url] = [`media:${server.password}`, `${server.root}/film.mp4`];
    const address = url.replace('webdav+', '');
    return {
      stores,
      relayPid,
      url,
      writeByTool: async (path) => await curl('-u', login, '-T', path, address),
      readByTool: async (path) => await curl('-u', login, '-o', path, address),
      stop: async () => void (await Promise.all([stop(), server.stop()])),
    };
  },
};

const digestOf = async (path: string): Promise<Digest> =>
  await digestFile(path, new AbortController().signal, () => {});

async function makeFile(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let made = 0; made < mebibytes; made += 1) await file.write(randomBytes(1024 ** 2));
  } finally {
    await file.close();
  }
}

/** Runs a transfer by a container's code in a process of its own. */
async function transfer(wanted: Transfer): Promise<Cost & { mebibytes: number }> {
  const path = join(folder, 'transfer.json');
  await writeFile(path, JSON.stringify(wanted));
  const { stdout } = await execute(process.execPath, [...containerNodeFlags, 'bench/store-transfer.ts', path]);
  return JSON.parse(stdout) as Cost & { mebibytes: number };
}

async function measure(
  name: string,
  start: () => Promise<Place>,
  file: { path: string; digest: Digest },
): Promise<void> {
  const place = await start();
  const { stores, url, mediaRoot, inParts = true, relayPid } = place;
  const read = join(folder, 'read');
  try {
    const tool = {
      write: await cost(() => place.writeByTool(file.path)),
      read: await cost(() => place.readByTool(read)),
    };
    await rm(read);
    const plan = inParts ? planParts(file.digest.size, usualPartSizes) : undefined;
    const target = await targetFor(stores, url, { size: file.digest.size, plan });
    const write = await transfer({ kind: 'write', path: file.path, target, digest: file.digest, mediaRoot });
    const sourceUrl = await new RequestUrls(stores, runOfTest).resolveSource(url);
    const own = { write, read: await transfer({ kind: 'read', path: read, sourceUrl, mediaRoot }) };
    if ((await digestOf(read)).sha256 !== file.digest.sha256)
      throw new Error(`${name}: other bytes were read than written`);
    const rate = ({ wallSeconds }: Cost): number[] => [mebibytes / wallSeconds];
    const cpuOf = ({ cpuSeconds }: Cost): number[] => [(cpuSeconds / mebibytes) * 1000];
    report('stores', name, {
      write: ratio(rate(own.write), rate(tool.write), 'the tool'),
      read: ratio(rate(own.read), rate(tool.read), 'the tool'),
      'cpu of write per MiB': compare('ms', cpuOf(own.write), cpuOf(tool.write), (ours) => ours, 'the tool'),
      'cpu of read per MiB': compare('ms', cpuOf(own.read), cpuOf(tool.read), (ours) => ours, 'the tool'),
      'memory of write': inUnit('MiB', own.write.mebibytes),
      'memory of read': inUnit('MiB', own.read.mebibytes),
      ...(relayPid !== undefined && { 'memory of the relay': inUnit('MiB', peakMebibytes(relayPid)) }),
    });
  } finally {
    await place.stop();
    await rm(read, { force: true });
  }
}

try {
  const path = join(folder, 'source.mp4');
  await makeFile(path);
  const file = { path, digest: await digestOf(path) };
  const names = chosen.length === 0 ? Object.keys(places) : chosen;
  for (const name of names) {
    const start = places[name];
    if (start === undefined) throw new Error(`no such store: ${name}. Choose of ${Object.keys(places).join(', ')}`);
    await measure(name, start, file);
  }
} finally {
  await rm(folder, { recursive: true });
}
