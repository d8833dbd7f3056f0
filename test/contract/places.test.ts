import { expect, test } from 'vitest';
import { haveOwnTargets, inputMatcher } from '../../contract/places.ts';
import { namesOfChunks, namesOfOutput, namesOfProcessing } from '../../contract/written-names.ts';

test.each([
  [['https://a.test/1', 'https://a.test/2'], true],
  [['https://a.test/1?X-Amz-Signature=1', 'https://A.test:443/1?X-Amz-Signature=2'], false],
  [['file:///a', 'file:///a'], false],
  [['file:///b/a', 'file:///b/./c/../%61'], false],
  [['file:///a', 'file:///b'], true],
  [['s3://bucket/a', 's3://bucket/a'], false],
  [['s3://bucket/a', 's3://bucket/./a'], true],
  [['https://a.test/1?part=1', 'https://a.test/1?part=2'], true],
  [['https://talks.store.test/v1.0/a?X-Amz-Signature=1', 'https://store.test/talks/v1.0/a?X-Amz-Signature=2'], false],
  [['https://talks.store.test/v1.0/a?X-Amz-Signature=1', 'https://store.test/talks/v1.1/a?X-Amz-Signature=2'], true],
])('%j have targets of their own: %s', (urls, expected) => {
  expect(haveOwnTargets(urls.map((uploadUrl) => ({ uploadUrl })))).toBe(expected);
});

test('a folder and a file in it are at one place, in both styles of URLs', () => {
  const uploadUrlPrefix = 'https://talks.store.test/v1.0/a/';
  expect(haveOwnTargets([{ uploadUrlPrefix }, { uploadUrl: 'https://store.test/talks/v1.0/a/b' }])).toBe(false);
  expect(haveOwnTargets([{ uploadUrlPrefix }, { uploadUrl: 'https://store.test/talks/v1.1/a/b' }])).toBe(true);
});

test.each([
  [{ uploadUrl: 's3://bucket/a/b.mp3' }, false],
  [{ uploadUrl: 's3://bucket/ab.mp3' }, true],
  [{ uploadUrlPrefix: 's3://bucket/a/' }, false],
  [{ uploadUrlPrefix: 's3://bucket/a/b/' }, false],
  [{ uploadUrlPrefix: 's3://bucket/b/' }, true],
])('s3://bucket/a/ and %j have separate targets: %s', (other, expected) => {
  const folder = { uploadUrlPrefix: 's3://bucket/a/' };
  expect(haveOwnTargets([folder, other])).toBe(expected);
  expect(haveOwnTargets([other, folder])).toBe(expected);
});

const [signedGet, signedPut] = ['X-Amz-Signature=1&x-id=GetObject', 'X-Amz-Signature=2&x-id=PutObject'];

test.each([
  // One object, whatever its signature and spelling.
  ['https://a.test/k', 'https://a.test/k', true],
  ['https://a.test/k', 'HTTPS://A.test:443/./x/../k#part', true],
  ['http://a.test/k', 'https://a.test./%6B', true],
  ['http://127.0.0.1:9000/k', 'http://localhost:9000/k', true],
  ['http://[::1]:9000/b/k', 'http://[::ffff:127.0.0.1]:9000/b/k', true],
  ['http://0.0.0.0:9000/k', 'http://[::]:9000/k', true],
  ['http://127.0.0.1:9000/k', 'http://127.0.0.1:9001/k', false],
  ['http://[::ffff:10.0.0.1]/k', 'http://127.0.0.1/k', false],
  ['https://a.test/k', 'https://a.test/b%2F..%2F/./k', true],
  ['https://a.test/k', 'https://a.test/..%2f%2E%2e/k', true],
  [`https://a.test/b/k?${signedGet}`, `https://a.test/b/k?${signedPut}`, true],
  [`https://a.test/b/k?${signedGet}&versionId=3`, `https://a.test/b/k?${signedPut}`, true],
  [`https://a.test/b/k?${signedGet}&response-content-type=audio/wav`, `https://a.test/b/k?${signedPut}`, true],
  ['https://a.test/b/k', `https://a.test/b/k?${signedPut}`, true],
  ['https://a.test/b/k?v=2', `https://a.test/b/k?${signedPut}`, true],
  [`https://a.test/b/k?${signedGet}`, 'https://a.test/b/k', true],
  [`https://b.s3.amazonaws.com/k?${signedGet}`, `https://s3.eu-west-1.amazonaws.com/b/k?${signedPut}`, true],
  [`https://b.s3-accelerate.amazonaws.com/k?${signedGet}`, `https://b.s3.dualstack.us-east-2.amazonaws.com/k`, true],
  [`https://b.minio.test:9000/k?${signedGet}`, `https://minio.test:9000/b/k?${signedPut}`, true],
  ['https://g.test/b/k?GoogleAccessId=k&Signature=s&Expires=1', 'https://g.test/b/k?X-Goog-Signature=1', true],
  ['https://o.test/k?OSSAccessKeyId=k&Signature=s&Expires=1', 'https://o.test/k?x-oss-process=image', true],
  ['https://blob.test/c/k?sv=2024&sr=b&sp=r&sig=s', 'https://blob.test/c/k?sv=2024&sr=b&sp=w&sig=t', true],
  ['https://cdn.test/k?Policy=p&Signature=s&Key-Pair-Id=k&v=2', 'https://cdn.test/k?v=2', true],
  ['https://a.test/k?x=1&y=2', 'https://a.test/k?y=2&x=1', true],
  ['https://a.test/k', 'ht\ntps://a.test/k', true],
  ['\u0001https://a.test/k', ' https:\\\\a.test\\k', true],
  ['https://a.test/b/k', 'https://a.test/b//k', true],
  ['https://a.test/%E9/%zz', 'https://a.test/%e9/%z%7A', true],
  ['https://a.test/k', 'https://a.test/k?partNumber=1&uploadId=2', true],
  [`https://my.b.s3.amazonaws.com/k?${signedGet}`, `https://s3.eu-west-1.amazonaws.com/my.b/k?${signedPut}`, true],
  [`https://b.store.test/v1.0/k?${signedGet}`, `https://store.test/b/v1.0/k?${signedPut}`, true],
  [`https://store.test/my.b/v1.0/k?${signedGet}`, `https://my.b.store.test/v1.0/k?${signedPut}`, true],
  [`https://b.store.test/v1.0/k?${signedGet}`, `https://store.test/b/v1.1/k?${signedPut}`, false],
  [
    `https://b.s3.amazonaws.com/k`,
    `https://bucket.vpce-1a2b-3c.s3.us-east-1.vpce.amazonaws.com/b/k?${signedPut}`,
    true,
  ],
  [
    'https://account-secondary.blob.core.windows.net/c/k?sv=1&sr=b&sp=r&sig=s',
    'https://account.blob.core.windows.net/c/k?sv=1&sr=b&sp=cw&sig=t',
    true,
  ],
  ['https://account.dfs.core.windows.net/c/k', 'https://account.blob.core.windows.net/c/k', true],
  ['https://account-secondary.z01.blob.storage.azure.net/c/k', 'https://account.z01.blob.storage.azure.net/c/k', true],
  ['https://storage.googleapis.com/b/k', 'https://b.storage.googleapis.com/k?X-Goog-Signature=1', true],
  ['https://b.commondatastorage.googleapis.com/k', 'https://storage.googleapis.com/b/k?X-Goog-Signature=1', true],
  ['https://storage.europe-west3.rep.googleapis.com/b/k', 'https://storage.googleapis.com/b/k', true],
  ['https://account-internetrouting.blob.core.windows.net/c/k', 'https://account.blob.core.windows.net/c/k', true],
  ['https://account.privatelink.blob.core.windows.net/c/k', 'https://account.blob.core.windows.net/c/k', true],
  ['https://account.blob.core.windows.net/k', 'https://account.blob.core.windows.net/%24root/k', true],
  ['https://account.z6.web.core.windows.net/a/k', 'https://account.blob.core.windows.net/$web/a/k', true],
  ['https://b.s3.amazonaws.com/my+talk', `https://s3.eu-west-1.amazonaws.com/b/my%20talk?${signedPut}`, true],
  ['https://b.oss-cn-beijing-internal.aliyuncs.com/k', 'https://b.oss-cn-beijing.aliyuncs.com/k', true],
  ['https://b.fra1.cdn.digitaloceanspaces.com/k', `https://fra1.digitaloceanspaces.com/b/k?${signedPut}`, true],
  ['https://storage.cloud.google.com/b/k', 'https://storage.googleapis.com/b/k', true],
  ['https://storage.mtls.googleapis.com/b/k', 'https://storage.googleapis.com/b/k', true],
  [
    'https://www.googleapis.com/download/storage/v1/b/b/o/a%2Fk?alt=media',
    'https://storage.googleapis.com/b/a/k?X-Goog-Signature=1',
    true,
  ],
  [
    'https://firebasestorage.googleapis.com/v0/b/b/o/a%2Fk?alt=media&token=t',
    'https://storage.googleapis.com/b/a/k?X-Goog-Signature=1',
    true,
  ],
  ['s3://b/k', 's3://b/k', true],
  ['sftp://nas/a b#1/k', 'SFTP://NAS:22//a b#1/k', true],
  ['webdav+https://dav.test/a b/k', 'webdav+https://DAV.test:443/a b//k', true],
  ['webdav+https://dav.test/a b/k', 'https://dav.test/a%20b/k?download=1', true],
  ['sftp://nas/a b/k', 'http://relay:8090/sftp/nas:22/a%20b/k?X-Holdfast-Signature=1', true],
  [
    'http://127.0.0.1:8090/sftp/nas:22/k?X-Holdfast-Method=get&X-Holdfast-Signature=1',
    'http://10.0.0.7:8090/sftp/nas:22/k?X-Holdfast-Method=put&X-Holdfast-Signature=2',
    true,
  ],
  ['f\nile:///m/a.wav', '\u0001FILE:///m/a.wav', true],
  ['file:///m/a.wav', 'file://localhost/m//x/../%61.wav', true],
  // Different objects.
  ['https://a.test/k', 'https://a.test/K', false],
  ['https://a.test/k', 'https://a.test:8443/k', false],
  ['https://a.test/k?file=1', 'https://a.test/k?file=2', false],
  [`https://a.test/k?${signedGet}`, `https://a.test/k2?${signedPut}`, false],
  [`https://b.s3.amazonaws.com/k?${signedGet}`, `https://c.s3.amazonaws.com/k?${signedPut}`, false],
  ['https://one.blob.core.windows.net/c/k', 'https://two.blob.core.windows.net/c/k', false],
  ['https://account.file.core.windows.net/c/k', 'https://account.blob.core.windows.net/c/k', false],
  ['https://account.blob.core.windows.net/k', 'https://account.blob.core.windows.net/c/k', false],
  ['https://a.test/my+talk', 'https://a.test/my%20talk', false],
  ['https://storage.googleapis.com/b/k', 'https://storage.googleapis.com/c/k', false],
  ['https://storage.googleapis.com/storage/v1/b/b/o/k', 'https://storage.googleapis.com/c/k', false],
  ['https://cdn.test/k?Policy=p&Signature=s&Key-Pair-Id=k&v=1', 'https://cdn.test/k?v=2', false],
  ['https://a.test/wav/talk', 'https://a.test/talk.wav', false],
  ['https://a.test/e%CC%81', 'https://a.test/%C3%A9', false],
  ['s3://b/k', 's3://b/./k', false],
  ['sftp://nas/k', 'sftp://nas:2222/k', false],
  ['sftp://nas/a%20b', 'sftp://nas/a b', false],
  ['sftp://nas/k', 'webdav+https://nas/k', false],
  ['file:///m/a.wav', 'file:///m/a.wav.mp3', false],
])('reading %s and writing %s concerns one object: %s', (url, target, expected) => {
  const inputAt = inputMatcher([{ field: 'sourceUrl', url }]);
  expect(inputAt({ url: target })).toBe(expected ? 'sourceUrl' : undefined);
});

test.each([
  ['s3://b/p/chunk-00000.wav', namesOfChunks, true],
  ['s3://b/p/chunks.json', namesOfChunks, true],
  ['s3://b/p/talk.wav', namesOfChunks, false],
  ['s3://b/p/encoded.wav', namesOfChunks, false],
  ['s3://b/chunk-00000.wav', namesOfChunks, false],
  ['s3://b/p/encoded.ogg', namesOfProcessing('ogg'), true],
  ['s3://b/p/encoded.mp3', namesOfProcessing('ogg'), false],
  ['s3://b/p/transcript.vtt', namesOfProcessing('ogg'), true],
  ['s3://b/p/master.m3u8', namesOfOutput, true],
  ['s3://b/p/film.mp4', namesOfOutput, false],
  ['s3://b/p/v720.mp4', namesOfOutput, true],
])('a prefix s3://b/p/ replaces %s by names %s: %s', (url, names, expected) => {
  const inputAt = inputMatcher([{ field: 'sourceUrl', url }]);
  expect(inputAt({ url: 's3://b/p/', names })).toBe(expected ? 'sourceUrl' : undefined);
});

test.each([
  ['sftp://nas/p/', 'sftp://nas/p/chunk-00000.wav'],
  ['http://relay/sftp/nas:22/p/?X-Holdfast-Signature=1', 'sftp://NAS/p//chunk-00000.wav'],
  ['webdav+https://dav.test/p/', 'https://dav.test/p/chunk-00000.wav'],
])('a prefix %s replaces %s', (prefix, url) => {
  const inputAt = inputMatcher([{ field: 'sourceUrl', url }]);
  expect(inputAt({ url: prefix, names: namesOfChunks })).toBe('sourceUrl');
});
