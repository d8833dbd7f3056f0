import { expect, test } from 'vitest';
import { prepareActivity } from '../../../activities/prepare.ts';
import { RequestUrls } from '../../../activities/storage/request-urls.ts';
import { openStores } from '../../../stores/backends.ts';
import { RelayUrls } from '../../../stores/relay/relay-urls.ts';

const relay = new RelayUrls({ address: 'http://relay:8090', key: undefined });
const run = { workflowId: 'talk', runId: 'run-1' };
const url = 'sftp://nas.example.com/talk.wav';
const input = { sourceUrl: url, outputs: [{ format: 'mp3_128', uploadUrl: 'file:///out.mp3' }] };

test.each([
  ['RELAY_URL', openStores({}, 600)],
  ['STORE_LOGINS_FILE', openStores({}, 600, relay)],
])('a run fails at its start, and names %s, if it is unset', async (setting, stores) => {
  const failure = {
    type: 'StoreNotUsable',
    nonRetryable: true,
    message: expect.stringContaining(`set ${setting} in the worker`),
  };
  await expect(prepareActivity(undefined, stores)('encode', input)).rejects.toMatchObject(failure);
  await expect(new RequestUrls(stores, run).resolveSource(url)).rejects.toMatchObject(failure);
  await expect(new RequestUrls(stores, run).resolveUpload(url)).rejects.toMatchObject(failure);
});

test('a run of other URLs needs neither setting', async () => {
  const other = { ...input, sourceUrl: 'https://m.test/talk.wav' };
  expect(await prepareActivity(undefined, openStores({}, 600))('encode', other)).toEqual(other);
});
