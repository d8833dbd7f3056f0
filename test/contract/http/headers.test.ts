import { expect, test } from 'vitest';
import { ChunkRequest } from '../../../contract/http/chunk.ts';
import { EncodeRequest } from '../../../contract/http/encode.ts';
import { TransferHeaders } from '../../../contract/http/headers.ts';
import { MetadataRequest } from '../../../contract/http/metadata.ts';

test.each<Record<string, string>>([
  {},
  { Authorization: 'Bearer abc', 'Content-Type': 'audio/x-own; charset=utf-8' },
  { 'x-amz-meta-title': '' },
  { 'X-Ms-Blob-Type': 'BlockBlob', 'if-none-match': '*' },
])('accepts the headers %j', (headers) => {
  expect(TransferHeaders.parse(headers)).toEqual(headers);
});

test.each<[unknown, string]>([
  [{ Host: 'elsewhere' }, 'may not set host'],
  [{ 'Content-Length': '1' }, 'may not set content-length'],
  [{ 'transfer-encoding': 'chunked' }, 'may not set transfer-encoding'],
  [{ Connection: 'x' }, 'may not set connection'],
  [{ 'Keep-Alive': 'x' }, 'may not set keep-alive'],
  [{ TE: 'trailers' }, 'may not set te'],
  [{ Upgrade: 'h2c' }, 'may not set upgrade'],
  [{ 'Proxy-Authorization': 'x' }, 'may not set proxy-authorization'],
  [{ Expect: '100-continue' }, 'may not set expect'],
  [{ Range: 'bytes=0-1' }, 'may not set range'],
  [{ 'Accept-Encoding': 'gzip' }, 'may not set accept-encoding'],
  [{ 'a b': 'x' }, 'have a name that HTTP does not allow'],
  [{ 'a:': 'x' }, 'have a name'],
  [{ '': 'x' }, 'have a name'],
  [{ é: 'x' }, 'have a name'],
  [{ 'x\r\ny': 'x' }, 'have a name'],
  [{ 'X-A': '1', 'x-a': '2' }, 'name x-a twice'],
  [{ a: 'b\r\nc: d' }, 'printable ASCII on one line'],
  [{ a: 'b\0' }, 'printable ASCII on one line'],
  [{ a: 'é' }, 'printable ASCII on one line'],
  [{ a: 'x'.repeat(8193) }, '8192'],
  [{ a: 1 }, 'expected string'],
  [{ a: ['b'] }, 'expected string'],
  [Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`h${index}`, ''])), 'are more than 32'],
  ['authorization: x', 'expected record'],
])('refuses the headers %j: %s', (headers, words) => {
  const parsed = TransferHeaders.safeParse(headers);
  expect(parsed.success).toBe(false);
  expect(parsed.error?.issues.map(({ message }) => message).join()).toContain(words);
});

const output = { format: 'mp3_64', uploadUrl: 'https://s.test/b' };
const signed = 'https://s.test/a?X-Amz-SignedHeaders=host%3Bx-api-key&X-Amz-Signature=1';

test.each([
  ['encode', EncodeRequest, (source: object, upload: object) => ({ ...source, outputs: [{ ...output, ...upload }] })],
  [
    'chunk',
    ChunkRequest,
    (source: object, upload: object) => ({
      ...source,
      chunks: [{ index: 0, uploadUrl: 'https://s.test/b', ...upload }],
    }),
  ],
  ['metadata', MetadataRequest, (source: object) => source],
])('%s accepts headers for its URLs, and names headers that a signature needs', (kind, schema, request) => {
  const problems = (source: object, upload: object = {}) =>
    schema
      .safeParse(request({ sourceUrl: 'https://s.test/a', ...source }, upload))
      .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  const headers = { 'X-Api-Key': 'k' };
  expect(problems({ headers }, { headers })).toBeUndefined();
  expect(problems({ sourceUrl: signed, headers })).toBeUndefined();
  expect(problems({ sourceUrl: signed })).toEqual(["headers must give what the URL's signature covers: x-api-key"]);
  expect(problems({ sourceUrl: 'file:///a', headers })).toEqual(['headers are only for http: and https: URLs']);
  if (kind === 'metadata') return;
  const list = kind === 'encode' ? 'outputs' : 'chunks';
  expect(problems({}, { uploadUrl: signed })).toEqual([
    `${list}.0.headers must give what the URL's signature covers: x-api-key`,
  ]);
  expect(problems({}, { uploadUrl: 'file:///b', headers })).toEqual([
    `${list}.0.headers are only for http: and https: URLs`,
  ]);
});
