import { expect, test } from 'vitest';
import { redactUrl, redactUrlAndFolder, redactUrlsIn } from '../../contract/shown-url.ts';

test.each([
  ['https://s3.test/a/b.wav?X-Amz-Signature=secret&x=1', 'https://s3.test/a/b.wav'],
  ['https://user:password@media.test/a.wav#t=1', 'https://media.test/a.wav'],
  ['https://user:pass@word@media.test/a.wav', 'https://media.test/a.wav'],
  ['http:\\\\user:password@media.test\\a.wav', 'http:\\\\media.test\\a.wav'],
  ['http:user:password@media.test/a.wav', 'http:media.test/a.wav'],
  ['https://media.test/a@b.wav', 'https://media.test/a@b.wav'],
  ['s3://bucket/prefix/', 's3://bucket/prefix/'],
  ['s3://bucket/a@b', 's3://bucket/a@b'],
  ['file:///media/a.wav', 'file:///media/a.wav'],
  ['file:///a@b.wav', 'file:///a@b.wav'],
])('%s is shown without its secrets', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});

test.each([
  ['https://u:p@store/a/b.mp3?X-Amz-Signature=secret#part', 'https://store/a/b.mp3'],
  ['file:///srv/media/a/b.mp3', 'file:…/b.mp3'],
])('%s is shown without its secrets and the folders of this machine', (url, shown) => {
  expect(redactUrlAndFolder(url)).toBe(shown);
});

test('each presigned URL in a text loses its signature', () => {
  expect(redactUrlsIn('PUT "https://s3.test/a/b?X-Amz-Signature=1" and http://c.test/d?e#f failed')).toBe(
    'PUT "https://s3.test/a/b?…" and http://c.test/d?… failed',
  );
});

test('a user name and a password in a text are left out, however the URL is written', () => {
  expect(redactUrlsIn('GET HTTPS://user:pass@word@media.test/a@b.wav?X-Amz-Signature=1, https://media.test/c@d')).toBe(
    'GET HTTPS://media.test/a@b.wav?… https://media.test/c@d',
  );
});
