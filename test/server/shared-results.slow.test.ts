import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { HoldfastClient } from '../../api-client/client.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';
import type { RunArchive } from '../../contract/server/run-file.ts';
import type { RunDetails } from '../../contract/server/run.ts';
import type { SharedRun } from '../../contract/server/share.ts';
import { RunTickets } from '../../server/access/run-tickets.ts';
import { speechWav } from '../support/media.ts';
import { run as runCommand } from '../support/process.ts';
import { startS3 } from '../support/s3.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { anna, bearer, bert, reader, writeTokens } from './access/token-holders.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';
import { useFolder } from '../support/folder.ts';

const key = 'the key of links, 32 characters or more';
const hour = 3_600_000;

const folder = useFolder();
const s3 = await stopAfterAll(startS3(['media']));
const stack = await stopAfterAll(TestStack.start({ workerEnvironment: s3.environment }));
const environment = {
  TEMPORAL_ADDRESS: stack.temporal.address,
  SERVER_TOKENS_FILE: await writeTokens(folder),
  SERVER_LINK_KEY: key,
  MEDIA_ROOT: stack.container.mediaRoot,
  ...s3.environment,
  S3_OWNER_PREFIXES: 's3://media/results/',
  S3_LINK_PREFIXES: 's3://media/results/',
};
const server = await stopAfterAll(TestServer.start(environment));
const client = new HoldfastClient({ url: server.url, token: anna ?? '' });
const sourceUrl = await client.upload(await openAsBlob(speechWav), { name: 'annas-secret-source.wav' });
const sound = { package: ['hls', 'dash'], video: false } as const;
const outputs = [
  { ...sound, uploadUrlPrefix: 'result:Tea & talk/' },
  { ...sound, uploadUrlPrefix: 's3://media/results/in-a-bucket/' },
  { format: 'mp3_64', uploadUrl: 'result:talk.mp3' },
];
const { id } = await client.start({ workflow: 'encode', input: { sourceUrl, outputs } as never });
/** A run of anna's with a package on the disk, one in a bucket, and a file. */
const run = await client.untilEnded(id);
expect(run.state, run.failure?.message).toBe('succeeded');

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const outputsOf = ({ result }: RunDetails): EncodedOutput[] =>
  result !== undefined && 'outputs' in result ? result.outputs : [];

async function shareTicket(): Promise<string> {
  const { status, body } = await server.post(`/api/runs/${run.id}/share`, { hours: 2 }, bearer(anna));
  expect(status, JSON.stringify(body)).toBe(201);
  expect(body.url).toMatch(/^\/shared#./);
  const lifetime = Date.parse(body.expiresAt) - Date.now();
  expect([lifetime > 1.9 * hour, lifetime <= 2 * hour]).toEqual([true, true]);
  return body.url.split('#')[1];
}

/** Names and hashes of the files in a zip, as Python reads them. */
async function unzip(content: Buffer): Promise<[string, string][]> {
  const path = join(folder, 'got.zip');
  await writeFile(path, content);
  const script = `
import hashlib, json, sys, zipfile
zip = zipfile.ZipFile(sys.argv[1])
assert zip.testzip() is None
print(json.dumps([[name, hashlib.sha256(zip.read(name)).hexdigest()] for name in zip.namelist()]))`;
  const { code, output } = await runCommand('python3', ['-c', script, path]);
  expect(code, output).toBe(0);
  return JSON.parse(output) as [string, string][];
}

const archiveOf = (index: number): RunArchive => {
  const archive = run.archives.find((one) => one.index === index);
  if (archive === undefined) throw new Error(`output ${index} has no zip`);
  return archive;
};

test.each([
  ['on the disk', 0, 'Tea & talk.zip'],
  ['in a bucket', 1, 'in-a-bucket.zip'],
])('a package %s is downloaded as a zip without a token, with the files of the run', async (_, index, name) => {
  const archive = archiveOf(index);
  const { files = [] } = outputsOf(run)[index] ?? {};
  expect(archive).toMatchObject({ name, files: files.length });
  const { statusCode, headers, body } = await request(server.url + archive.url);
  const content = Buffer.from(await body.arrayBuffer());
  expect([statusCode, headers['content-type'], headers['accept-ranges']]).toEqual([200, 'application/zip', 'none']);
  expect(String(headers['content-disposition']).replaceAll('"', '')).toBe(`attachment; filename=${name}`);
  expect(Number(headers['content-length'])).toBe(content.length);
  expect(await unzip(content)).toEqual(files.map((file) => [file.name, file.sha256]));
  const head = await server.call('HEAD', archive.url);
  expect(head).toMatchObject({ status: 200, headers: { 'content-length': String(content.length) } });
  // The ticket gives access to the files, so it is not logged.
  expect(server.process.output).not.toContain(archive.url.split('/').at(-1));
});

test('a download breaks off if an object disappears', async () => {
  const name = outputsOf(run)[1]?.files?.at(-1)?.name ?? '';
  const path = join(s3.folder, 'media/results/in-a-bucket', name);
  const kept = await readFile(path);
  await rm(path);
  const download = async (): Promise<unknown> => {
    const { body } = await request(server.url + archiveOf(1).url);
    return await body.arrayBuffer();
  };
  await expect(download()).rejects.toThrow();
  await writeFile(path, kept);
});

test('a share link shows the results of its run without a token, and nothing else of it', async () => {
  const headers = bearer(await shareTicket());
  const { status, body } = await server.get('/api/shared', headers);
  expect(status).toBe(200);
  const shared = body as SharedRun;
  expect(Object.keys(shared).toSorted()).toEqual(['archives', 'endedAt', 'expiresAt', 'files', 'outputs']);
  expect(shared.files.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual([
    ...['output manifest.mpd', 'output master.m3u8', 'output talk.mp3'],
  ]);
  expect(shared.archives.map(({ name }) => name)).toEqual(['Tea & talk.zip', 'in-a-bucket.zip']);
  expect(JSON.stringify(body)).not.toMatch(/anna|secret|upload:|s3:\/\/|"source"|encode-|owner/);
  for (const { url, name, expiresAt } of shared.files) {
    const { statusCode, body: content } = await request(server.url + url);
    const facts = outputsOf(run).flatMap(({ files = [], sha256 }) => [...files, { name: 'talk.mp3', sha256 }]);
    const wanted = facts.filter((file) => file.name === name).map(({ sha256 }) => sha256);
    expect([statusCode, wanted]).toEqual([
      200,
      expect.arrayContaining([hashOf(Buffer.from(await content.arrayBuffer()))]),
    ]);
    // The files end with the link, not earlier.
    expect(expiresAt).toBe(shared.expiresAt);
  }
  for (const archive of shared.archives) {
    expect((await server.call('HEAD', archive.url)).status).toBe(200);
    expect(archive.expiresAt).toBe(shared.expiresAt);
  }
  // The ticket is no token: it opens neither the API nor another run.
  for (const path of ['/api/runs', `/api/runs/${run.id}`, '/api/session']) {
    expect((await server.get(path, headers)).status, path).toBe(401);
  }
  expect((await server.post(`/api/runs/${run.id}/cancel`, undefined, headers)).status).toBe(401);
});

test('only those who may start runs share, and only their own runs with results', async () => {
  const path = `/api/runs/${run.id}/share`;
  expect(await server.post(path, undefined, bearer(reader))).toMatchObject({ status: 403 });
  expect(await server.post(path, undefined, bearer(bert))).toMatchObject({ status: 404 });
  expect(await server.post(path, undefined, bearer(anna))).toMatchObject({ status: 201 });
  for (const hours of [0, 721, 1.5, '2']) {
    expect(await server.post(path, { hours }, bearer(anna)), String(hours)).toMatchObject({ status: 400 });
  }
  const input = { sourceUrl: 'http://127.0.0.1:1/a.wav', outputs: [{ format: 'flac', uploadUrl: 'result:a.flac' }] };
  const { body } = await server.post('/api/runs', { workflow: 'encode', input }, bearer(anna));
  const early = await server.post(`/api/runs/${body.id}/share`, undefined, bearer(anna));
  expect(early).toMatchObject({ status: 409, body: { code: 'no_results' } });
});

test('a share link ends at its time, with its run, and with the key of the server', async () => {
  const shares = new RunTickets(key, 'share');
  const read = async (at: TestServer, ticket: string) => (await at.get('/api/shared', bearer(ticket))).body.code;
  const facts = { id: run.id, runId: run.runId, exp: Math.floor(Date.now() / 1000) + 60 };
  expect(await read(server, await shares.issue(facts))).toBeUndefined();
  expect(await read(server, await shares.issue({ ...facts, exp: 1 }))).toBe('link_expired');
  expect(await read(server, await shares.issue({ ...facts, runId: crypto.randomUUID() }))).toBe('not_found');
  expect(await read(server, await new RunTickets(key, 'zip').issue(facts))).toBe('not_found');
  expect((await server.get('/api/shared')).body.code).toBe('not_found');
  const ticket = await shareTicket();
  const same = await TestServer.start({ ...environment, SERVER_REQUESTS_PER_MINUTE: '2' });
  expect([await read(same, ticket), await read(same, ticket)]).toEqual([undefined, undefined]);
  expect(await read(same, await shares.issue(facts))).toBe('too_many_requests');
  await same.stop();
  const revoked = await TestServer.start({ ...environment, SERVER_LINK_KEY: `${key}!` });
  expect(await read(revoked, ticket)).toBe('not_found');
  expect((await revoked.get(archiveOf(0).url)).status).toBe(404);
  await revoked.stop();
});

test('players on other sites may read a package, and nothing else', async () => {
  const allowed = async (name: string) => {
    const url = run.files.find((file) => file.name === name)?.url ?? '';
    const { headers } = await server.get(url, { origin: 'https://blog.test' });
    return [headers['access-control-allow-origin'], headers['cross-origin-resource-policy']];
  };
  expect(await allowed('master.m3u8')).toEqual(['*', 'cross-origin']);
  expect(await allowed('talk.mp3')).toEqual([undefined, 'same-origin']);
});
