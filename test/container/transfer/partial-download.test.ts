import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PartialDownload } from '../../../container/transfer/partial-download.ts';
import type { DownloadOptions } from '../../../container/transfer/save-source.ts';
import { jobRoom } from '../../../container/transfer/scratch-room.ts';
import { versionOfIdentity } from '../../../container/transfer/source-answer.ts';
import type { ByteRange } from '../../../engine/spread/byte-ranges.ts';
import { bringIndex } from '../../../engine/spread/partial-file.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { answerWith, createTestAgent, etag, makeContent, type Reply } from './ranged-source.ts';
import { testFolder } from '../../support/folder.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const mebibyte = 1024 ** 2;
const body = makeContent(20 * mebibyte);
const dispatcher = createTestAgent();

const media = await stopAfterAll(MediaServer.start());
afterAll(() => dispatcher.destroy());

const range = (from: number, end: number): ByteRange => ({ from, end });

/** Fetches parts of a source from a server that sends these replies and then the last of them. */
async function fetchParts(
  source: Buffer,
  fetch: (file: PartialDownload) => Promise<void>,
  replies: readonly Reply[] = [{}],
  { validator = etag, ...options }: Partial<DownloadOptions> & { validator?: string } = {},
) {
  const requests: string[] = [];
  const url = media.on('GET /partial', (request, response) => {
    const index = requests.push(request.headers.range ?? 'whole') - 1;
    answerWith({ body: source, ...replies[Math.min(index, replies.length - 1)] }, request, response);
  });
  const folder = testFolder();
  const version = versionOfIdentity({ size: source.length, validator });
  if (version === undefined) throw new Error('no version');
  let received = 0;
  const path = join(folder, 'input');
  const file = await PartialDownload.open(new URL(url), path, version, {
    ...{ dispatcher, mediaRoot: undefined, maxBytes: 1e9, connections: 1, room: jobRoom(async () => 1e12) },
    signal: new AbortController().signal,
    onProgress: (bytes) => void (received = bytes),
    ...options,
  });
  try {
    await fetch(file);
  } finally {
    await file.close();
  }
  return { bytes: await readFile(path), requests, received };
}

/** Fetches these ranges of the source, one group after another. */
async function fetchRanges(
  groups: readonly (readonly ByteRange[])[],
  ...more: [replies?: readonly Reply[], options?: Parameters<typeof fetchParts>[3]]
) {
  const fetch = async (file: PartialDownload): Promise<void> => {
    for (const group of groups) await file.bring(group);
  };
  return await fetchParts(body, fetch, ...more);
}

test('fetches only the wanted ranges, into a file of the full length', async () => {
  const { bytes, requests, received } = await fetchRanges([
    [range(0, 100)],
    [range(5e6, 5e6 + 1000), range(19e6, 20e6)],
  ]);
  expect(requests).toEqual(['bytes=0-99', 'bytes=5000000-5000999', 'bytes=19000000-19999999']);
  expect(received).toBe(100 + 1000 + 1e6);
  expect(bytes.length).toBe(body.length);
  const expected = Buffer.alloc(body.length);
  for (const { from, end } of [range(0, 100), range(5e6, 5e6 + 1000), range(19e6, 20e6)]) {
    body.copy(expected, from, from, end);
  }
  expect(bytes.equals(expected)).toBe(true);
});

test('fetches nothing twice, and small gaps in one request', async () => {
  const { requests } = await fetchRanges([
    [range(0, 1e6)],
    [range(5e5, 2e6)],
    [range(0, 2e6)],
    [range(3e6, 4e6), range(4.1e6, 5e6)],
  ]);
  expect(requests).toEqual(['bytes=0-999999', 'bytes=1000000-1999999', 'bytes=3000000-4999999']);
});

test('fetches many scattered ranges in pieces of 8 MiB, and a few of them by a request each', async () => {
  const scattered = Array.from({ length: 100 }, (_, index) => range(index * 2e5, index * 2e5 + 1000));
  const { bytes, requests } = await fetchRanges([scattered]);
  expect(requests).toHaveLength(3);
  for (const { from, end } of scattered) expect(bytes.subarray(from, end).equals(body.subarray(from, end))).toBe(true);
  expect((await fetchRanges([scattered.slice(0, 30)])).requests).toHaveLength(30);
});

/** An MP4 of these fragments, whose boxes have random contents. */
function makeFragments(count: number, fragmentBytes: number) {
  const moofBytes = 500;
  const sizes = { ftyp: 24, moov: 1000 };
  const source = makeContent(sizes.ftyp + sizes.moov + count * fragmentBytes);
  const places: ByteRange[] = [];
  let at = 0;
  const append = (type: string, size: number): void => {
    source.writeUInt32BE(size, at);
    source.write(type, at + 4, 'latin1');
    // All bytes of an index, and the header of samples.
    places.push(range(at, at + (type === 'mdat' ? 8 : size)));
    at += size;
  };
  for (const [type, size] of Object.entries(sizes)) append(type, size);
  for (let fragment = 0; fragment < count; fragment += 1) {
    append('moof', moofBytes);
    append('mdat', fragmentBytes - moofBytes);
  }
  return { source, places };
}

test.each<[string, number, number, { requests: number; bytes: number }]>([
  ['in pieces of 8 MiB, if there are thousands of short ones', 2000, 40_000, { requests: 64 + 10, bytes: 81e6 }],
  ['by a request each, if they are longer', 100, 400_000, { requests: 101, bytes: 1e6 }],
])('fetches the index of fragments %s', async (_, count, bytes, most) => {
  const { source, places } = makeFragments(count, bytes);
  const fetched = await fetchParts(source, async (file) => expect(await bringIndex(file)).toBe(true));
  expect(fetched.requests.length).toBeLessThanOrEqual(most.requests);
  expect(fetched.received).toBeLessThanOrEqual(most.bytes);
  for (const { from, end } of places) {
    expect(fetched.bytes.subarray(from, end).equals(source.subarray(from, end))).toBe(true);
  }
});

test('does not look for an index in fragments of some kilobytes', async () => {
  const { source } = makeFragments(2000, 10_000);
  const { requests } = await fetchParts(source, async (file) => expect(await bringIndex(file)).toBe(false));
  expect(requests.length).toBeLessThanOrEqual(128);
});

test('fetches a large range over several connections', async () => {
  const { bytes, requests } = await fetchRanges([[range(0, body.length)]], [{}], { connections: 4 });
  expect(bytes.equals(body)).toBe(true);
  expect(requests).toHaveLength(3);
});

test('resumes a range whose connection is reset', async () => {
  const { bytes, requests } = await fetchRanges([[range(0, 3e6)]], [{ cutAfter: 1e6 }, {}]);
  expect(bytes.subarray(0, 3e6).equals(body.subarray(0, 3e6))).toBe(true);
  expect(requests).toHaveLength(2);
});

test.each<[string, Reply]>([
  ['ignores ranges', { ignoresRange: true }],
  ['has another version', { headers: { etag: '"v2"' } }],
  ['does not check the version, and has another one', { headers: { etag: '"v2"' }, matches: etag }],
  ['does not check the version, and states none', { headers: { etag: undefined }, matches: etag }],
  ['weakens the version', { headers: { etag: `W/${etag}` }, matches: etag }],
  ['sends other bytes than it is asked for', { contentRange: () => `bytes 7-8/${body.length}` }],
  ['has a longer file', { contentRange: (from) => `bytes ${from}-${from + 999}/${body.length + 1}` }],
])('gives up on a server that %s', async (_, reply) => {
  await expect(fetchRanges([[range(1e6, 1e6 + 1000)]], [reply])).rejects.toThrow(
    expect.objectContaining({ name: 'CannotGoOn' }),
  );
});

test('gives up if the source changes between two ranges', async () => {
  const replies = [{}, { headers: { etag: '"v2"' } }];
  await expect(fetchRanges([[range(0, 1000)], [range(1e6, 2e6)]], replies)).rejects.toThrow('has changed');
});

test('accepts a date that the server repeats as the version', async () => {
  const validator = 'Wed, 21 Oct 2015 07:28:00 GMT';
  const reply = { headers: { etag: undefined, 'last-modified': validator } };
  expect((await fetchRanges([[range(0, 1000)]], [reply], { validator })).received).toBe(1000);
});

test('reports a server that stops sending, and a source above the limit', async () => {
  await expect(fetchRanges([[range(0, 1e6)]], [{ silentAfter: 0 }])).rejects.toMatchObject({ code: 'stalled' });
  await expect(fetchRanges([[range(0, 100)]], [{}], { maxBytes: 1000 })).rejects.toMatchObject({
    code: 'source_too_large',
  });
});

test('an identity without size or validator cannot be fetched in ranges', () => {
  expect([{ size: 5 }, { validator: etag }, {}].map(versionOfIdentity)).toEqual([undefined, undefined, undefined]);
});
