import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openS3Store } from '../../../stores/s3/s3-store.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

let server: MediaServer;
beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIA');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  server = await stopAfterTest(MediaServer.start());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const begin = async (headers = {}) =>
  await openS3Store({ AWS_ENDPOINT_URL_S3: server.url }, 600).beginUpload(
    's3://media/v720.mp4',
    headers,
    new AbortController().signal,
  );

test('begins an upload in parts with the headers that the store keeps for the object', async () => {
  let seen: IncomingHttpHeaders = {};
  server.on('POST /media/v720.mp4', (request, response) => {
    seen = request.headers;
    response.end('<InitiateMultipartUploadResult><UploadId>an-upload</UploadId></InitiateMultipartUploadResult>');
  });
  expect(await begin({ contentType: 'video/mp4', cacheControl: 'max-age=31536000, immutable' })).toBe('an-upload');
  expect(seen).toMatchObject({ 'content-type': 'video/mp4', 'cache-control': 'max-age=31536000, immutable' });
});

test.each([
  ['RequestTimeTooSkewed', true],
  ['InvalidAccessKeyId', true],
  ['ExpiredToken', true],
  ['AccessDenied', false],
])('reports whether a retry may help after the answer %s', async (code, passing) => {
  server.on('POST /media/v720.mp4', (_, response) => {
    response.writeHead(403).end(`<Error><Code>${code}</Code></Error>`);
  });
  await expect(begin()).rejects.toMatchObject({ name: 'StorageError', passing });
});

test('reports the status of an answer without a page', async () => {
  server.on('POST /media/v720.mp4', (_, response) => void response.writeHead(307).end());
  await expect(begin()).rejects.toMatchObject({ passing: false, message: 'The store answered 307' });
});

test('reports when each part of an upload was stored', async () => {
  const part =
    '<PartNumber>1</PartNumber><LastModified>2026-11-28T01:02:03Z</LastModified><ETag>e</ETag><Size>9</Size>';
  server.on('GET /media/v720.mp4', (_, response) => {
    response.end(`<ListPartsResult><IsTruncated>false</IsTruncated><Part>${part}</Part></ListPartsResult>`);
  });
  const store = openS3Store({ AWS_ENDPOINT_URL_S3: server.url }, 600);
  const parts = await store.listParts('s3://media/v720.mp4', 'an-upload', new AbortController().signal);
  expect(parts).toEqual([{ part: 1, bytes: 9, etag: 'e', storedAtMs: Date.UTC(2026, 10, 28, 1, 2, 3) }]);
});

test('signs nothing that the container does not send', async () => {
  const store = openS3Store({ AWS_ENDPOINT_URL_S3: 'http://minio:9000' }, 600);
  const signed = await store.sign('s3://media/a b/c.mp3', { kind: 'put' });
  const { origin, pathname, searchParams } = new URL(signed.url);
  expect(origin + pathname).toBe('http://minio:9000/media/a%20b/c.mp3');
  expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
  expect(searchParams.get('X-Amz-Expires')).toBe('600');
  expect([...searchParams.keys()].filter((name) => /checksum|sdk/i.test(name))).toEqual([]);
  expect(signed.expiresAtMs - Date.now()).toBeLessThanOrEqual(600_000);
});

test.each(['', '<NextKeyMarker>a</NextKeyMarker><NextUploadIdMarker>1</NextUploadIdMarker>'])(
  'ends the listing of uploads at a store that marks every page as truncated, with the markers "%s"',
  async (markers) => {
    const upload = '<Upload><Key>a</Key><UploadId>1</UploadId><Initiated>2026-01-01T00:00:00Z</Initiated></Upload>';
    server.on('GET /media/', (_, response) => {
      const page = `<IsTruncated>true</IsTruncated>${markers}${upload}`;
      response.end(`<ListMultipartUploadsResult>${page}</ListMultipartUploadsResult>`);
    });
    const store = openS3Store({ AWS_ENDPOINT_URL_S3: server.url }, 600);
    const uploads = await store.listUploads('s3://media/film/', new AbortController().signal);
    expect(new Set(uploads.map(({ uploadId }) => uploadId))).toEqual(new Set(['1']));
  },
);
