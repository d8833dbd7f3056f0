import { expect, test } from 'vitest';
import { downloadHeaders, uploadHeaders } from '../../../container/transfer/request-headers.ts';

const file = { path: '/x', contentType: 'audio/mpeg', digest: { size: 7, sha256: 'x', md5Base64: 'bWQ1' } };
const own = { 'content-md5': 'bWQ1', 'content-type': 'audio/mpeg' };

test.each<[string, string, Record<string, string> | undefined, Record<string, string>]>([
  ['no signature', 'https://s.test/a', undefined, own],
  ['version 4', 'https://s.test/a?X-Amz-Signature=1&X-Amz-SignedHeaders=host', undefined, own],
  // A signed type must be sent; the format's own type is the most likely one.
  ['version 4 of a type', 'https://s.test/a?X-Amz-SignedHeaders=content-type%3Bhost', undefined, own],
  ['version 2', 'https://s.test/a?AWSAccessKeyId=k&Signature=s&Expires=1', undefined, {}],
  [
    'version 2 of a type',
    'https://s.test/a?AWSAccessKeyId=k&Signature=s&Expires=1',
    { 'Content-Type': 'audio/x-own' },
    { 'content-type': 'audio/x-own' },
  ],
  ['CloudFront', 'https://cdn.test/a?Policy=p&Signature=s&Key-Pair-Id=k', undefined, own],
  ['Azure', 'https://b.test/a?sv=1&se=2&sr=b&sp=cw&sig=s', undefined, { ...own, 'x-ms-blob-type': 'BlockBlob' }],
  [
    'an account of Azure',
    'https://b.test/a?sv=1&ss=b&srt=o&se=2&sp=rwdlac&sig=s',
    undefined,
    { ...own, 'x-ms-blob-type': 'BlockBlob' },
  ],
  [
    'a stored access policy of Azure',
    'https://b.test/a?sv=1&si=uploads&sr=c&sig=s',
    undefined,
    { ...own, 'x-ms-blob-type': 'BlockBlob' },
  ],
  [
    'Azure, of another kind',
    'https://b.test/a?sv=1&se=2&sr=b&sp=cw&sig=s',
    { 'X-Ms-Blob-Type': 'AppendBlob' },
    { ...own, 'x-ms-blob-type': 'AppendBlob' },
  ],
  [
    'the caller',
    'https://s.test/a',
    { 'Content-Type': 'x/y', 'X-A': '1' },
    { ...own, 'content-type': 'x/y', 'x-a': '1' },
  ],
])('sends the right headers with an upload signed by %s', (_, uploadUrl, headers, expected) => {
  expect(uploadHeaders({ ...file, uploadUrl, headers })).toEqual({
    'user-agent': 'holdfast',
    'content-length': '7',
    ...expected,
  });
});

test('sends its user agent with a download unless the caller sets one, and requests plain bytes', () => {
  expect(downloadHeaders(undefined)).toEqual({ 'user-agent': 'holdfast', 'accept-encoding': 'identity' });
  expect(downloadHeaders({ 'User-Agent': 'studio', Cookie: 'a=1' })).toEqual({
    ...{ 'user-agent': 'studio', cookie: 'a=1' },
    'accept-encoding': 'identity',
  });
});

test('sends Cache-Control to every store unless the caller sets it', () => {
  const kept = { ...file, cacheControl: 'max-age=60' };
  for (const uploadUrl of ['https://s.test/a', 'https://s.test/a?AWSAccessKeyId=k&Signature=s&Expires=1']) {
    expect(uploadHeaders({ ...kept, uploadUrl })).toMatchObject({ 'cache-control': 'max-age=60' });
    const headers = { 'Cache-Control': 'no-store' };
    expect(uploadHeaders({ ...kept, uploadUrl, headers })).toMatchObject({ 'cache-control': 'no-store' });
  }
});
