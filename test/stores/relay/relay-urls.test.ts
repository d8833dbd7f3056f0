import { expect, test } from 'vitest';
import { RelayUrls } from '../../../stores/relay/relay-urls.ts';

const address = 'http://relay:8090';
const key = 'k'.repeat(32);
const run = { workflowId: 'a run/with #1\n', runId: 'run-1' };
const url = 'sftp://nas.example.com:2222/talks/100% #1 é.wav';

function pathOf(signed: string): string {
  return signed.slice(address.length);
}

test('opens a URL for its file and method, and says whether it has expired', () => {
  const urls = new RelayUrls({ address, key: undefined });
  const signed = urls.sign(url, 'get', run, 60);
  expect(signed.url).toMatch(
    /^http:\/\/relay:8090\/sftp\/nas\.example\.com:2222\/talks\/100%25%20%231%20%C3%A9\.wav\?/,
  );
  expect(urls.open(pathOf(signed.url), 'get')).toEqual({ kind: 'url', url, run, isExpired: false });
  expect(urls.open(pathOf(signed.url), 'put')).toEqual({ kind: 'forged' });
  expect(urls.open(pathOf(signed.url), 'get', signed.expiresAtMs - 1)).toMatchObject({ isExpired: false });
  expect(urls.open(pathOf(signed.url), 'get', signed.expiresAtMs)).toMatchObject({ url, run, isExpired: true });
});

test('opens URLs of workers with the same key, and of no others', () => {
  const signed = pathOf(new RelayUrls({ address, key }).sign(url, 'put', run, 60).url);
  expect(new RelayUrls({ address, key }).open(signed, 'put')).toMatchObject({ kind: 'url', url, run });
  expect(new RelayUrls({ address, key: `${key}x` }).open(signed, 'put')).toEqual({ kind: 'forged' });
  const own = pathOf(new RelayUrls({ address, key: undefined }).sign(url, 'put', run, 60).url);
  expect(new RelayUrls({ address, key: undefined }).open(own, 'put')).toEqual({ kind: 'forged' });
});
