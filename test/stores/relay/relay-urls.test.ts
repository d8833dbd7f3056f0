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
  const opened = { method: 'get', url, run, isExpired: false, upload: undefined };
  expect(urls.open(pathOf(signed.url), 'GET')).toEqual(opened);
  expect(urls.open(pathOf(signed.url), 'PUT')).toBeUndefined();
  expect(urls.open(pathOf(signed.url), 'GET', signed.expiresAtMs - 1)).toMatchObject({ isExpired: false });
  expect(urls.open(pathOf(signed.url), 'GET', signed.expiresAtMs)).toMatchObject({ url, run, isExpired: true });
});

test('opens a URL of an upload in parts for its own upload, part and request', () => {
  const urls = new RelayUrls({ address, key: undefined });
  const upload = { id: 'upload-1', bytes: 1024 };
  const signed = pathOf(urls.sign(url, 'part', run, 60, upload).url);
  expect(urls.open(signed, 'PUT')).toMatchObject({ method: 'part', url, run, upload });
  const changes: [string, string][] = [
    ['upload-1', 'upload-2'],
    ['%2F1024', '%2F2048'],
    ['Method=part', 'Method=put'],
    ['X-Holdfast-Upload', 'X-Other'],
  ];
  for (const [from, to] of changes) {
    expect(signed).toContain(from);
    expect(urls.open(signed.replace(from, to), 'PUT')).toBeUndefined();
  }
  expect(urls.open(signed, 'POST')).toBeUndefined();
  // A URL that writes the whole file cannot be turned into one of an upload.
  const whole = pathOf(urls.sign(url, 'put', run, 60).url);
  expect(urls.open(`${whole}&X-Holdfast-Upload=upload-1%2F0`, 'PUT')).toBeUndefined();
});

test('opens URLs of workers with the same key, and of no others', () => {
  const signed = pathOf(new RelayUrls({ address, key }).sign(url, 'put', run, 60).url);
  expect(new RelayUrls({ address, key }).open(signed, 'PUT')).toMatchObject({ method: 'put', url, run });
  expect(new RelayUrls({ address, key: `${key}x` }).open(signed, 'PUT')).toBeUndefined();
  const own = pathOf(new RelayUrls({ address, key: undefined }).sign(url, 'put', run, 60).url);
  expect(new RelayUrls({ address, key: undefined }).open(own, 'PUT')).toBeUndefined();
});
