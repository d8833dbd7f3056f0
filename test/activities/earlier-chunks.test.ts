import { MockActivityEnvironment } from '@temporalio/testing';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { findEarlierActivity } from '../../activities/earlier-chunks.ts';
import { Storage } from '../../activities/storage/storage.ts';
import type { EarlierChunks, FindEarlierRequest } from '../../contract/earlier-chunks.ts';
import { fakeStores } from '../support/fake-stores.ts';
import { testFolder } from '../support/folder.ts';
import { LoopbackServer } from '../support/loopback-server.ts';
import { stopAfterTest } from '../support/stop-after-all.ts';

let root: string;
const settings = { chunkDuration: 10, overlapDuration: 2, format: 'opus_24' };
const source = { size: 1_000, validator: '"v1"' };

beforeEach(async () => {
  root = testFolder();
  await mkdir(join(root, 'run'));
});

async function write(name: string, text: string): Promise<void> {
  await writeFile(join(root, 'run', name), text);
}

function factsOf(text: string) {
  return { size: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}

function answer(index: number, more: object = {}): string {
  const facts = { provider: 'test/one', text: `w${index}`, segments: [], answer: {}, setId: 'set' };
  return JSON.stringify({ ...facts, ...more });
}

const texts = ['zero', 'one', 'two'];

async function writeAll(): Promise<void> {
  const encoded = {
    ...factsOf('encoded'),
    format: 'opus_24',
    bitrate: 24,
    duration: 26,
    channels: 1,
    sampleRate: 24_000,
  };
  const chunks = texts.map((text, index) => ({
    index,
    start: index * 8,
    duration: 10,
    ...factsOf(text),
    file: `chunk-0000${index}.ogg`,
  }));
  const about = { setId: 'set', source, encoded, ...settings };
  await write('encoded.ogg', 'encoded');
  await write('chunks.json', JSON.stringify({ version: 1, totalChunks: 3, totalDuration: 26, about, chunks }));
  for (const [index, text] of texts.entries()) {
    await write(`chunk-0000${index}.ogg`, text);
    await write(`chunk-0000${index}.json`, answer(index));
  }
}

async function findIn(storage: Storage, more: Partial<FindEarlierRequest>): Promise<EarlierChunks | undefined> {
  const request = { uploadUrlPrefix: `file://${root}/run/`, providers: ['test/one'], ...settings, ...more };
  const found: unknown = await new MockActivityEnvironment().run(findEarlierActivity({ storage }), request);
  return found as EarlierChunks | undefined;
}

async function find(more: Partial<FindEarlierRequest> = {}): Promise<EarlierChunks | undefined> {
  return await findIn(new Storage(fakeStores({}, root)), more);
}

const answered = [{ item: { attempts: 1, provider: 'test/one' }, indexes: '0-2' }];

test('finds intact files and their source', async () => {
  await writeAll();
  expect(await find()).toMatchObject({
    setId: 'set',
    source,
    totalChunks: 3,
    whole: '0-2',
    answered,
    encoded: factsOf('encoded'),
  });
});

test('a missing file, or one with another length or other bytes, is not intact', async () => {
  await writeAll();
  await write('chunk-00000.ogg', 'zerO');
  await write('chunk-00001.ogg', 'one and more');
  expect(await find()).toMatchObject({ whole: '2', answered });
  await rm(join(root, 'run/chunk-00002.ogg'));
  await write('encoded.ogg', 'Encoded');
  const found = await find();
  expect(found).toMatchObject({ whole: '', answered });
  expect(found).not.toHaveProperty('encoded');
});

test.each([
  ['of another set of chunks', answer(1, { setId: 'former' })],
  ['of an older version, which names no set', answer(1, { setId: undefined })],
  ['of a provider that the run does not name', answer(1, { provider: 'test/two' })],
  ['that is truncated', answer(1).slice(0, 20)],
  ['with another structure', '[]'],
])('ignores an answer %s', async (_, text) => {
  await writeAll();
  await write('chunk-00001.json', text);
  expect(await find()).toMatchObject({ whole: '0-2', answered: [{ item: { provider: 'test/one' }, indexes: '0,2' }] });
});

test('uses only answers with voices again if speakers are wanted', async () => {
  await writeAll();
  await write('chunk-00001.json', answer(1, { answer: { voices: [{ start: 0, end: 1, vector: [1] }] } }));
  await write('chunk-00002.json', answer(2, { answer: { voices: [] } }));
  expect(await find({ voices: true })).toMatchObject({
    whole: '0-2',
    answered: [{ item: { provider: 'test/one' }, indexes: '1-2' }],
  });
  expect(await find()).toMatchObject({ answered });
});

test('uses only translations again if the run translates, and otherwise none', async () => {
  await writeAll();
  await write('chunk-00001.json', answer(1, { translated: true }));
  const of = (indexes: string) => ({ answered: [{ item: { provider: 'test/one' }, indexes }], whole: '0-2' });
  expect(await find({ translate: true })).toMatchObject(of('1'));
  expect(await find()).toMatchObject(of('0,2'));
});

test.each([
  ['another chunk duration', { chunkDuration: 9 }],
  ['another overlap', { overlapDuration: 1 }],
  ['another format', { format: 'opus_32' }],
  ['another track', { track: 'eng' }],
  ['no format, as in chunking', { format: undefined }],
])('ignores chunks with %s', async (_, more) => {
  await writeAll();
  expect(await find(more)).toBeUndefined();
});

test('takes two names of a language for one track', async () => {
  await writeAll();
  const list = await readFile(join(root, 'run/chunks.json'), 'utf8');
  await write('chunks.json', list.replace('"setId":', '"track":"deu","setId":'));
  expect(await find({ track: 'de' })).toMatchObject({ whole: '0-2' });
  expect(await find({ track: 'en' })).toBeUndefined();
});

test.each<[string, (text: string) => string]>([
  ['is truncated', (text) => text.slice(0, 100)],
  ['is of a later version', (text) => text.replace('"version":1', '"version":2')],
  ['names a file outside its folder', (text) => text.replace('chunk-00001.ogg', '../chunk-00001.ogg')],
  ['lacks its settings', (text) => text.replace('"setId":', '"other":')],
])('finds nothing to resume if the list %s', async (_, change) => {
  await writeAll();
  await write('chunks.json', change(await readFile(join(root, 'run/chunks.json'), 'utf8')));
  expect(await find()).toBeUndefined();
});

test('finds nothing to resume without a list', async () => {
  await writeAll();
  await rm(join(root, 'run/chunks.json'));
  expect(await find()).toBeUndefined();
});

test.each([
  [404, 'NoSuchKey'],
  [403, 'AccessDenied'],
])('a store that answers %i (%s) has no files', async (status, code) => {
  expect(await findAtStore(status, code)).toBeUndefined();
});

test.each([
  [503, 'SlowDown', false],
  [403, 'ExpiredToken', false],
  [400, 'AuthorizationHeaderMalformed', true],
])('a store that answers %i (%s) is not taken for an empty one', async (status, code, nonRetryable) => {
  await expect(findAtStore(status, code)).rejects.toMatchObject({
    type: 'EarlierChunksNotRead',
    nonRetryable,
    message: `The store answered ${status} (${code}) for s3://media/run/chunks.json`,
  });
});

async function findAtStore(status: number, code: string): Promise<EarlierChunks | undefined> {
  const page = `<Error><Code>${code}</Code></Error>`;
  const server = await stopAfterTest(LoopbackServer.start((_, response) => response.writeHead(status).end(page)));
  const sign = async () => ({ url: `${server.url}/`, expiresAtMs: Infinity });
  const storage = new Storage(fakeStores({ sign }));
  return await findIn(storage, { uploadUrlPrefix: 's3://media/run/' });
}
