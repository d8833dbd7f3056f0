import { copyFile, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { MediaServer } from '../../fixtures/media-server.ts';
import { speechWav } from '../../support/media.ts';
import { startS3 } from '../../support/s3.ts';
import { s3Client } from '../../support/s3-client.ts';
import { startToxiproxy } from '../../support/toxiproxy.ts';
import { createTestAgent, etag, fetchFrom, fetchUrl, makeContent, sha256Of, type Reply } from './ranged-source.ts';
import { stopAfterAll, stopAfterTest } from '../../support/stop-after-all.ts';

const dispatcher = createTestAgent();
const body = makeContent(300_000);
const other = makeContent(250_000);
const modified = 'Mon, 02 Feb 2026 10:00:00 GMT';

const media = await stopAfterAll(MediaServer.start());
afterAll(() => dispatcher.destroy());

const cut: Reply = { body, cutAfter: 100_000 };
const firstByte = (headers: IncomingHttpHeaders | undefined) => Number(/^bytes=(\d+)-/.exec(headers?.range ?? '')?.[1]);
const fetchReplies = (replies: Parameters<typeof fetchFrom>[1]) => fetchFrom(media, replies, { dispatcher });

describe.concurrent('sources whose connection is reset', () => {
  test.each([1, 2, 65_535, 65_536, 65_537, 150_000, 299_999])(
    'resumes a download that was reset after %i bytes',
    async (cutAfter) => {
      const { bytes, requests } = await fetchReplies([{ body, cutAfter }, { body }]);
      expect(bytes.equals(body)).toBe(true);
      expect(requests).toHaveLength(2);
      expect(requests[1]).toMatchObject({ 'if-range': etag });
      // Bytes in flight at the reset may be lost.
      expect(firstByte(requests[1])).toBeLessThanOrEqual(cutAfter);
      expect(firstByte(requests[1])).toBeGreaterThanOrEqual(cutAfter - 65_536);
    },
  );

  test('resumes a download as often as bytes arrive', async () => {
    const { bytes, requests } = await fetchReplies([{ body, cutAfter: 60_000 }]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests.length).toBeGreaterThanOrEqual(5);
  });

  test('resumes by date if the source has no strong ETag', async () => {
    const headers = { etag: 'W/"v1"', 'last-modified': modified };
    const { bytes, requests } = await fetchReplies([
      { ...cut, headers },
      { body, headers },
    ]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests[1]).toMatchObject({ range: expect.any(String), 'if-range': modified });
  });

  test('resumes a source of undeclared length', async () => {
    const { bytes, requests } = await fetchReplies([
      { ...cut, isChunked: true },
      { ...cut, cutAfter: 50_000 },
      { body },
    ]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests[1]?.range).toMatch(/-$/);
    expect(requests[2]?.range).toMatch(/-299999$/);
  });

  test('restarts if neither the source nor a range of it states its length', async () => {
    const { bytes, requests } = await fetchReplies([
      { ...cut, isChunked: true },
      { body, mostBytes: 70_000, contentRange: (from) => `bytes ${from}-${from + 69_999}/*` },
      { body },
    ]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests.map(({ range }) => range !== undefined)).toEqual([false, true, false]);
  });

  test('resumes from a server that sends less than the requested range', async () => {
    const { bytes, requests } = await fetchReplies([cut, { body, mostBytes: 70_000 }]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests.length).toBeGreaterThanOrEqual(4);
  });

  test('restarts if the server answers every range with one byte', async () => {
    const { bytes, requests } = await fetchReplies([
      { body, cutAfter: 290_000 },
      { body, mostBytes: 1 },
    ]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests.length).toBeLessThan(200);
    expect(requests.at(-1)?.range).toBeUndefined();
  });

  test('resumes from a server that sends a range with 200, only of the same version', async () => {
    const mislabelled = { body, status: 200 };
    const { bytes, requests } = await fetchReplies([cut, mislabelled]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests).toHaveLength(2);
    const unlike = { body: makeContent(body.length), status: 200, matches: etag, headers: { etag: '"v2"' } };
    expect((await fetchReplies([cut, unlike, { body }])).bytes.equals(body)).toBe(true);
  });

  test('resumes when the server was down or silent for a moment', async () => {
    const { bytes, requests } = await fetchReplies([cut, { status: 503 }, { body, silentAfter: 50_000 }, { body }]);
    expect(bytes.equals(body)).toBe(true);
    expect(firstByte(requests[3])).toBeGreaterThan(firstByte(requests[2]));
  });

  test('restarts if the source has changed, and takes all bytes from the new version', async () => {
    const changed = { body: other, headers: { etag: '"v2"' } };
    const { bytes, requests } = await fetchReplies([cut, changed]);
    expect(bytes.equals(other)).toBe(true);
    expect(requests.map(({ range }) => range !== undefined)).toEqual([false, true, false]);
  });

  test.each<[string, Record<string, string | undefined>]>([
    ['no validator', { etag: undefined }],
    ['a weak ETag alone', { etag: 'W/"v1"' }],
    ['a date that may be of two versions', { etag: undefined, 'last-modified': modified, date: modified }],
    ['a weak date besides a weak ETag', { etag: 'W/"v1"', 'last-modified': modified, date: modified }],
  ])('restarts without a range if the source has %s', async (_, headers) => {
    const { bytes, requests } = await fetchReplies([
      { ...cut, headers },
      { body, headers },
    ]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests.map(({ range }) => range)).toEqual([undefined, undefined]);
  });

  test.each<[string, Reply]>([
    ['200 with all of it', { body, ignoresRange: true }],
    ['416', { status: 416, headers: { 'content-range': 'bytes */50' } }],
    ['no Content-Range', { body, headers: { 'content-range': undefined } }],
    ['multipart/byteranges', { body, headers: { 'content-range': undefined, 'content-type': 'multipart/byteranges' } }],
    ['a range that begins elsewhere', { body, contentRange: (from) => `bytes ${from - 1}-299998/300000` }],
    ['a range of another total', { body, contentRange: (from) => `bytes ${from}-299999/300001` }],
    ['a range that makes no sense', { body, contentRange: (from) => `bytes ${from}-${from - 1}/300000` }],
    ['another unit', { body, contentRange: (from) => `items ${from}-299999/300000` }],
    ['a compressed range', { body, headers: { 'content-encoding': 'gzip' } }],
  ])('restarts if a range is answered by %s', async (_, wrong) => {
    const { bytes, requests } = await fetchReplies([cut, wrong, { body }]);
    expect(bytes.equals(body)).toBe(true);
    expect(requests).toHaveLength(3);
    expect(requests[2]).not.toHaveProperty('range');
  });

  test('restarts if a range has another ETag despite If-Range', async () => {
    const same = makeContent(body.length);
    const { bytes } = await fetchReplies([cut, { body: same, matches: etag, headers: { etag: '"v2"' } }, { body }]);
    expect(bytes.equals(body)).toBe(true);
  });

  test('restarts if a range states no version', async () => {
    const same = makeContent(body.length);
    const { bytes } = await fetchReplies([cut, { body: same, matches: etag, headers: { etag: undefined } }, { body }]);
    expect(bytes.equals(body)).toBe(true);
  });

  test.each([undefined, 'W/"v1"'])('restarts if a range has another date, with the ETag %s', async (weak) => {
    const of = (date: string) => ({ etag: weak, 'last-modified': date, date: 'Mon, 02 Feb 2026 12:00:00 GMT' });
    const first = { ...cut, headers: of(modified) };
    const changed = { headers: of('Mon, 02 Feb 2026 11:00:00 GMT') };
    const same = makeContent(body.length);
    const { bytes } = await fetchReplies([first, { ...changed, body: same, matches: modified }, { ...changed, body }]);
    expect(bytes.equals(body)).toBe(true);
  });

  test('fails after four restarts', async () => {
    const requests: unknown[] = [];
    const fetched = fetchReplies((request) => {
      requests.push(request.headers.range);
      return { ...cut, headers: { etag: undefined } };
    });
    await expect(fetched).rejects.toMatchObject({
      code: 'source_unavailable',
      message: expect.stringContaining('in 4 tries: the connection was lost'),
    });
    expect(requests).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('fails after three more tries without a byte, with the error of the last', async () => {
    let count = 0;
    const fetched = fetchReplies((_, index) => {
      count = index + 1;
      return index === 0 ? cut : { status: 503 };
    });
    await expect(fetched).rejects.toMatchObject({ code: 'source_unavailable', details: { status: 503 } });
    expect(count).toBe(4);
  });

  test.each([
    [404, 'source_not_found'],
    [403, 'source_not_found'],
  ])('fails at once if the source is gone: %i', async (status, code) => {
    await expect(fetchReplies([cut, { status }])).rejects.toMatchObject({ code });
  });

  test('fails at once if the first request gets no answer', async () => {
    let count = 0;
    const url = media.on('GET /unanswered', (request) => {
      count += 1;
      request.socket.destroy();
    });
    await expect(fetchUrl(url, { dispatcher })).rejects.toMatchObject({ code: 'source_unavailable' });
    expect(count).toBe(1);
    await expect(fetchReplies([{ body, silentAfter: 0 }])).rejects.toMatchObject({ code: 'stalled' });
  });

  test('computes the SHA-256 of a source that arrives in pieces', async () => {
    for (const [wanted, replies] of [
      [body, [cut, { body }]],
      [other, [cut, { body: other, headers: { etag: '"v2"' } }]],
    ] as const) {
      const { bytes } = await fetchFrom(media, replies, { dispatcher, sha256: sha256Of(wanted).toUpperCase() });
      expect(bytes.equals(wanted)).toBe(true);
    }
    const fetched = fetchFrom(media, [cut, { body }], { dispatcher, sha256: sha256Of(other) });
    await expect(fetched).rejects.toMatchObject({ code: 'checksum_mismatch' });
  });

  test('applies the size limit to a source that arrives in pieces', async () => {
    const chunked = { body, cutAfter: 100_000, isChunked: true };
    const fetched = fetchFrom(media, [chunked], { dispatcher, maxBytes: 250_000 });
    await expect(fetched).rejects.toMatchObject({ code: 'source_too_large' });
  });

  test('ends a download with its job', async () => {
    const abort = new AbortController();
    const fetched = fetchFrom(
      media,
      (_, index) => {
        if (index === 1) abort.abort(new Error('cancelled'));
        return { body, cutAfter: 50_000 };
      },
      { dispatcher, signal: abort.signal },
    );
    await expect(fetched).rejects.toThrow('cancelled');
  });
});

test('starts over if the connection is reset before the end of a source of unknown length', async () => {
  let requests = 0;
  const origin = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      requests += 1;
      socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
      if (requests > 1) return void socket.end(body);
      return void socket.write(body.subarray(0, 100_000), () => setTimeout(() => socket.resetAndDestroy(), 100));
    });
  });
  await new Promise<void>((resolve) => void origin.listen(0, '127.0.0.1', resolve));
  const { port } = origin.address() as AddressInfo;
  const { bytes } = await fetchUrl(`http://127.0.0.1:${port}/in.wav`, { dispatcher });
  expect([requests, sha256Of(bytes)]).toEqual([2, sha256Of(body)]);
  await new Promise((resolve) => void origin.close(resolve));
});

test('downloads a whole source from a real store through a network that resets every connection', async () => {
  const [s3, toxiproxy] = await Promise.all([stopAfterTest(startS3()), stopAfterTest(startToxiproxy())]);
  // The store may stall for more than a second.
  const patient = createTestAgent(60);
  onTestFinished(() => patient.destroy());
  const path = join(s3.folder, 'media/in.wav');
  await copyFile(speechWav, path);
  await writeFile(path, body, { flag: 'a' });
  const way = await toxiproxy.proxy(s3.endpoint);
  const object = new GetObjectCommand({ Bucket: 'media', Key: 'in.wav' });
  const url = await getSignedUrl(s3Client(s3, way.url), object, { expiresIn: 600 });
  const { bytes: straight } = await fetchUrl(url, { dispatcher: patient });
  // The limit includes the headers.
  await way.poison('downstream', { type: 'limit_data', attributes: { bytes: Math.ceil(straight.length / 3) } });
  const { bytes } = await fetchUrl(url, { dispatcher: patient });
  expect(straight.subarray(-body.length).equals(body)).toBe(true);
  expect(bytes.equals(straight)).toBe(true);
});
