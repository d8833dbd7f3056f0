import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SourceIdentity } from '../../../contract/http/source.ts';
import { atPlace } from '../../../container/transfer/source-place.ts';
import { relayParameters, relayPath } from '../../../contract/relayed-url.ts';
import { isSameSource } from '../../../contract/same-source.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TestContainer } from '../../support/container.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const [container, media] = await Promise.all([stopAfterAll(TestContainer.start()), stopAfterAll(MediaServer.start())]);

const identify = (sourceUrl: string) => container.call('POST', '/source', { sourceUrl });

/** A source that sends its headers at once and its bytes forever. */
function endless(path: string, headers: Record<string, string>): string {
  return media.on(`GET ${path}`, (_, response) => {
    response.writeHead(200, headers);
    response.write('x'.repeat(100_000));
  });
}

test('identifies a source by its strong ETag and size without reading it', async () => {
  const url = endless('/tagged', { etag: '"v1"', 'content-length': '5000000000' });
  expect(await identify(url)).toMatchObject({
    status: 200,
    body: { success: true, size: 5_000_000_000, validator: '"v1"' },
  });
});

const now = new Date().toUTCString();

test.each([
  ['no version', {}],
  ['a weak ETag', { etag: 'W/"v1"' }],
  ['a date of this very second', { 'last-modified': now, date: now }],
])('identifies a source with %s by its size alone', async (what, headers: Record<string, string>) => {
  const url = endless(`/${encodeURIComponent(what)}`, { ...headers, 'content-length': '10' });
  expect((await identify(url)).body).toEqual({ success: true, size: 10 });
});

test('identifies a changed file of the same size as another source', async () => {
  const path = join(container.mediaRoot, 'a.wav');
  await writeFile(path, 'one');
  const before = (await identify(container.fileUrl('a.wav'))).body;
  expect(before).toMatchObject({ success: true, size: 3, validator: expect.stringContaining('modified ') });
  expect((await identify(container.fileUrl('a.wav'))).body).toEqual(before);
  await utimes(path, new Date(), new Date(Date.now() + 5_000));
  expect((await identify(container.fileUrl('a.wav'))).body.validator).not.toBe(before.validator);
});

test('distinguishes sources of one size and time or tag, but not signatures of one source', async () => {
  const date = new Date(Date.now() - 60_000);
  for (const name of ['one.wav', 'two.wav']) {
    await writeFile(join(container.mediaRoot, name), name);
    await utimes(join(container.mediaRoot, name), date, date);
  }
  const identityOf = async (url: string) => SourceIdentity.parse((await identify(url)).body);
  const [one, two] = [await identityOf(container.fileUrl('one.wav')), await identityOf(container.fileUrl('two.wav'))];
  expect(two).toMatchObject({ size: one.size, validator: one.validator });
  expect(isSameSource(one, two)).toBe(false);
  const [first = '', other = ''] = ['/1', '/2'].map((path) => endless(path, { etag: '"1"', 'content-length': '10' }));
  const tagged = await identityOf(`${first}?signature=a`);
  expect(isSameSource(tagged, await identityOf(`${first}?signature=b`))).toBe(true);
  expect(isSameSource(tagged, await identityOf(other))).toBe(false);
});

test('a file behind a relay is the same source, whatever the address of the relay', () => {
  const signed = relayParameters.signature;
  const placeOf = (url: string) => atPlace({ size: 1, validator: '1' }, new URL(url)).place;
  const path = relayPath({ scheme: 'sftp', host: 'nas.test', port: 22, path: '/talks/in.wav' });
  expect(placeOf(`http://127.0.0.1:8090${path}?${signed}=a`)).toBe(placeOf(`https://relay.test${path}?${signed}=b`));
  expect(placeOf(`http://127.0.0.1:8090${path}`)).not.toBe(placeOf(`https://relay.test${path}`));
});

test.each([
  ['missing', () => container.fileUrl('nothing.wav'), 404, 'source_not_found'],
  ['outside of MEDIA_ROOT', () => 'file:///etc/passwd', 403, 'source_forbidden'],
  ['at an internal address', () => 'http://169.254.169.254/latest/', 403, 'source_forbidden'],
  [
    'refused by its origin',
    () => media.on('GET /no', (_, response) => void response.writeHead(403).end()),
    404,
    'source_not_found',
  ],
  [
    'on fire',
    () => media.on('GET /fire', (_, response) => void response.writeHead(500).end()),
    502,
    'source_unavailable',
  ],
  ['no URL', () => 'in.wav', 400, 'invalid_request'],
])('reports a source that is %s as a job does', async (_, url, status, code) => {
  expect(await identify(url())).toMatchObject({ status, body: { success: false, code } });
});
