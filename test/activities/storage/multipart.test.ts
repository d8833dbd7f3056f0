import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { s3MultipartUploads } from '../../../activities/storage/multipart.ts';

const answer = `<InitiateMultipartUploadResult><UploadId>an-upload</UploadId></InitiateMultipartUploadResult>`;

test('an upload in parts is begun with what the store is to say of the object', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.setHeader('content-type', 'application/xml').end(answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIA');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    const endpoint = `http://127.0.0.1:${port}`;
    const multipart = s3MultipartUploads({ expiresSeconds: 600, endpoint, region: 'us-east-1' });
    const kept = { contentType: 'video/mp4', cacheControl: 'max-age=31536000, immutable' };
    expect(await multipart.create({ bucket: 'media', key: 'v720.mp4' }, kept)).toBe('an-upload');
    expect(seen).toMatchObject([{ 'content-type': 'video/mp4', 'cache-control': 'max-age=31536000, immutable' }]);
  } finally {
    vi.unstubAllEnvs();
    server.close();
  }
});
