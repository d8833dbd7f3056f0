import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { S3Store } from '../../../server/s3/s3-store.ts';

Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test-secret' });

const gone = '<Error><Code>NoSuchUpload</Code></Error>';
const list =
  '<ListPartsResult><Part><PartNumber>1</PartNumber><Size>10</Size><ETag>"x"</ETag></Part></ListPartsResult>';

// Stores answer an abort while a part is still on its way: AWS asks to look for parts, and versitygw keeps such a part.
test('an upload that is ended is ended again where a part has come to it since', async () => {
  const asked: string[] = [];
  const parts = [list, gone];
  const server = createServer((request, response) => {
    asked.push(request.method ?? '');
    const xml = request.method === 'DELETE' ? '' : (parts.shift() ?? gone);
    const status = request.method === 'DELETE' ? 204 : xml === gone ? 404 : 200;
    response.writeHead(status, { 'Content-Type': 'application/xml' }).end(xml);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = new S3Store({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1' });
  await store.abort({ bucket: 'media', key: 'talk.wav' }, 'one');
  expect(asked).toEqual(['DELETE', 'GET', 'DELETE', 'GET']);
  server.closeAllConnections();
  server.close();
});
