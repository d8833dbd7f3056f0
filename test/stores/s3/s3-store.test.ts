import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { openS3Store } from '../../../stores/s3/s3-store.ts';

afterEach(() => void vi.unstubAllEnvs());

const url = 's3://media/v720.mp4';
const begun = '<InitiateMultipartUploadResult><UploadId>an-upload</UploadId></InitiateMultipartUploadResult>';

async function withStore<Result>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  body: (store: ReturnType<typeof openS3Store>) => Promise<Result>,
): Promise<Result> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/xml');
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIA');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  const { port } = server.address() as AddressInfo;
  try {
    return await body(openS3Store({ AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` }, 600));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('begins an upload in parts with the headers that the store keeps for the object', async () => {
  const headers = { contentType: 'video/mp4', cacheControl: 'max-age=31536000, immutable' };
  let seen: IncomingMessage['headers'] = {};
  const uploadId = await withStore(
    (request, response) => {
      seen = request.headers;
      response.end(begun);
    },
    async (store) => await store.beginUpload(url, headers, AbortSignal.timeout(5_000)),
  );
  expect(uploadId).toBe('an-upload');
  expect(seen).toMatchObject({ 'content-type': 'video/mp4', 'cache-control': 'max-age=31536000, immutable' });
});

test.each([
  ['RequestTimeTooSkewed', true],
  ['InvalidAccessKeyId', true],
  ['ExpiredToken', true],
  ['AccessDenied', false],
])('reports whether a retry may help after the answer %s', async (code, passing) => {
  const asked = withStore(
    (_, response) => void response.writeHead(403).end(`<Error><Code>${code}</Code></Error>`),
    async (store) => await store.beginUpload(url, {}, AbortSignal.timeout(5_000)),
  );
  await expect(asked).rejects.toMatchObject({ name: 'StorageError', passing });
});

test('signs nothing that the container does not send', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'key');
  const store = openS3Store({ AWS_ENDPOINT_URL_S3: 'http://minio:9000' }, 600);
  const signed = await store.sign('s3://media/a b/c.mp3', { kind: 'put' });
  const { origin, pathname, searchParams } = new URL(signed.url);
  expect(origin + pathname).toBe('http://minio:9000/media/a%20b/c.mp3');
  expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
  expect(searchParams.get('X-Amz-Expires')).toBe('600');
  expect([...searchParams.keys()].filter((name) => /checksum|sdk/i.test(name))).toEqual([]);
  expect(signed.expiresAtMs - Date.now()).toBeLessThanOrEqual(600_000);
});
