import { afterAll, describe, expect, test } from 'vitest';
import { SourceRanges } from '../../../container/transfer/source-ranges.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { createTestAgent, etag, fetchFrom, makeContent, sha256Of, type Reply } from './ranged-source.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const mebibyte = 1024 ** 2;
// The limit of a second is too short for 40 MiB on a loaded machine.
const dispatcher = createTestAgent(20);
const body = makeContent(40 * mebibyte + 12_345);

const media = await stopAfterAll(MediaServer.start());
afterAll(() => dispatcher.destroy());

const fetchParallel = (replies: Parameters<typeof fetchFrom>[1], connections = 4) =>
  fetchFrom(media, replies, { dispatcher, connections, sha256: sha256Of(body) });

describe('large sources over several connections', () => {
  test('downloads a large source from both ends into the same file', async () => {
    const { bytes, requests } = await fetchParallel([{ body }]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests[0]).not.toHaveProperty('range');
    const [first] = requests.slice(1).map(({ range }) => range);
    expect(first).toMatch(new RegExp(`-${body.length - 1}$`));
  });

  test.each<[string, Reply]>([
    ['does not declare ranges', { body, headers: { 'accept-ranges': undefined } }],
    ['declares that it serves none', { body, headers: { 'accept-ranges': 'none' } }],
    ['tells no version', { body, headers: { etag: undefined } }],
    ['tells no length', { body, isChunked: true }],
  ])('downloads over one connection if the server %s', async (_, reply) => {
    const { bytes, requests } = await fetchParallel([reply]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests).toHaveLength(1);
  });

  test('downloads over one connection on request', async () => {
    expect((await fetchParallel([{ body }], 1)).requests).toHaveLength(1);
  });

  test.each<[string, Reply]>([
    ['are refused', { status: 403 }],
    ['are answered by all of it', { body, ignoresRange: true }],
    ['are of another version', { body, headers: { etag: '"v2"' } }],
    ['state no version', { body: makeContent(body.length), headers: { etag: undefined }, matches: etag }],
    ['break off once and for all', { status: 503 }],
  ])('downloads the whole source if ranges %s', async (_, wrong) => {
    const { bytes, requests } = await fetchParallel((request) =>
      request.headers.range === undefined ? { body } : wrong,
    );
    expect(bytes.equals(body)).toBe(true);
    expect(requests.length).toBeGreaterThan(1);
  });

  test('downloads the whole source if every connection is reset repeatedly', async () => {
    const { bytes } = await fetchParallel([{ body, cutAfter: 3 * mebibyte }]);
    expect(bytes.equals(body)).toBe(true);
  });

  test('restarts over one connection if the source has changed', async () => {
    const other = makeContent(30 * mebibyte);
    const changed = { body: other, headers: { etag: '"v2"' } };
    const { bytes } = await fetchFrom(media, (_, index) => (index === 0 ? { body, cutAfter: mebibyte } : changed), {
      dispatcher,
      connections: 4,
    });
    expect(bytes.equals(other)).toBe(true);
  });

  test('reports its progress in received bytes, up to the last', async () => {
    const told: number[] = [];
    await fetchFrom(media, [{ body }], { dispatcher, connections: 4, onProgress: (bytes) => void told.push(bytes) });
    expect(told).toEqual(told.toSorted((one, two) => one - two));
    expect(told.at(-1)).toBe(body.length);
  });
});

test('claims parts from the end until the first stream is near', () => {
  const ranges = new SourceRanges(100, 10);
  expect(ranges.claim(0)).toEqual({ from: 90, end: 100 });
  expect(ranges.claim(60)).toEqual({ from: 80, end: 90 });
  expect(ranges.claim(61)).toBeUndefined();
  expect(ranges.end).toBe(80);
});

test('leaves a returned part to the first stream if that is next, or fetches it at the end', () => {
  const ranges = new SourceRanges(100, 10);
  for (let helper = 0; helper < 4; helper += 1) ranges.claim(0);
  expect(ranges.end).toBe(60);
  ranges.giveBack({ from: 70, end: 80 });
  ranges.giveBack({ from: 85, end: 90 });
  ranges.giveBack({ from: 100, end: 100 });
  expect(ranges.end).toBe(60);
  ranges.giveBack({ from: 60, end: 70 });
  expect(ranges.end).toBe(80);
  expect(ranges.takeReturned()).toEqual({ from: 85, end: 90 });
  expect(ranges.takeReturned()).toBeUndefined();
});
