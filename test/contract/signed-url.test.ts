import { expect, test } from 'vitest';
import {
  azureWriteOf,
  missingSignedHeaders,
  signsUnknownContentHeaders,
  stripSignature,
} from '../../contract/signed-url.ts';

test.each([
  ['https://s3.test/a?X-Amz-Signature=1&X-Amz-Expires=2&versionId=3', 'https://s3.test/a?versionId=3'],
  ['https://s3.test/a?X-Amz-Date=1', 'https://s3.test/a'],
  ['https://s3.test/a?AWSAccessKeyId=k&Signature=s&Expires=1&part=2', 'https://s3.test/a?part=2'],
  ['https://storage.test/a?GoogleAccessId=k&Signature=s&Expires=1', 'https://storage.test/a'],
  ['https://oss.test/a?OSSAccessKeyId=k&Signature=s&Expires=1', 'https://oss.test/a'],
  ['https://cdn.test/a?Policy=p&Signature=s&Key-Pair-Id=k&size=2', 'https://cdn.test/a?size=2'],
  ['https://blob.test/a?sv=2024&se=1&sr=b&sp=r&sig=s&comp=block', 'https://blob.test/a?comp=block'],
  ['http://relay-1/sftp/nas:22/a%20%231?X-Holdfast-Method=get&X-Holdfast-Signature=s', 'sftp://nas/a #1'],
  ['http://relay-2/sftp/nas:22/a%20%231?X-Holdfast-Method=get&X-Holdfast-Signature=t', 'sftp://nas/a #1'],
  [
    'http://relay-1/sftp/nas:22/a?X-Holdfast-Method=part&X-Holdfast-Upload=u%2F0&X-Holdfast-Signature=s',
    'sftp://nas/a?X-Holdfast-Upload=u/0',
  ],
  // Parameters of the same names that sign nothing.
  ['https://media.test/a?Expires=1&Signature=s', 'https://media.test/a?Expires=1&Signature=s'],
  ['https://media.test/a?sv=1&sp=2', 'https://media.test/a?sv=1&sp=2'],
  ['s3://bucket/a?X-Amz-Signature=1', 's3://bucket/a?X-Amz-Signature=1'],
  ['no URL', 'no URL'],
])('%s without its signature is %s', (url, stripped) => {
  expect(stripSignature(url)).toBe(stripped);
});

test.each([
  ['https://s3.test/a?AWSAccessKeyId=k&Signature=s&Expires=1', true],
  ['https://storage.test/a?GoogleAccessId=k&Signature=s&Expires=1', true],
  ['https://cdn.test/a?Policy=p&Signature=s&Key-Pair-Id=k', false],
  ['https://s3.test/a?X-Amz-Signature=1&X-Amz-SignedHeaders=host', false],
  ['https://blob.test/a?sv=2024&se=1&sr=b&sp=r&sig=s', false],
  ['file:///a', false],
])('the signature of %s may cover content headers: %s', (url, expected) => {
  expect(signsUnknownContentHeaders(url)).toBe(expected);
});

test.each([
  ['https://b.test/a?sv=1&se=2&sr=b&sp=cw&sig=s', 'blob'],
  ['https://b.test/a?comp=block&blockid=MQ%3D%3D&sv=1&se=2&sr=b&sp=cw&sig=s', 'block'],
  ['https://b.test/a?comp=block&blockid=MQ%3D%3D&sv=1&ss=b&srt=o&se=2&sp=cw&sig=s', 'block'],
  ['https://b.test/a?comp=blocklist&sv=1&si=uploads&sr=c&sig=s', 'blocklist'],
  ['https://b.test/a?comp=metadata&sv=1&se=2&sr=b&sp=cw&sig=s', undefined],
  ['https://b.test/a?sig=s&v=1', undefined],
  ['https://s3.test/a?partNumber=1&uploadId=2&X-Amz-Signature=1', undefined],
])('the Azure write of a PUT to %s is %s', (url, expected) => {
  expect(azureWriteOf(url)).toBe(expected);
});

test.each([
  ['put', 'X-Amz-SignedHeaders=host', [], []],
  ['put', 'X-Amz-SignedHeaders=content-type%3Bhost', [], []],
  ['put', 'X-Amz-SignedHeaders=content-type%3Bhost%3Bx-amz-acl', [], ['x-amz-acl']],
  ['put', 'X-Goog-SignedHeaders=host%3Bx-goog-acl', ['X-Goog-ACL'], []],
  ['get', 'X-Amz-SignedHeaders=host%3Bx-api-key', [], ['x-api-key']],
  ['get', 'X-Amz-SignedHeaders=content-type%3Bhost', [], ['content-type']],
  ['get', 'versionId=1', [], []],
] as const)('a %s of a URL with %s and the headers %j also needs %j', (method, query, given, missing) => {
  expect(missingSignedHeaders(`https://s3.test/a?${query}`, given, method)).toEqual(missing);
});

test('takes a time proportional to the length of a query, and not to its square', () => {
  const query = Array.from({ length: 30_000 }, (_, index) => `x-amz-${index}=1`).join('&');
  const startMs = performance.now();
  expect(stripSignature(`https://store.test/a?b=%20c&${query}`)).toBe('https://store.test/a?b=+c');
  expect(performance.now() - startMs).toBeLessThan(2_000);
});
