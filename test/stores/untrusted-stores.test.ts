import { afterEach, describe, expect, test, vi } from 'vitest';
import { openStores } from '../../stores/backends.ts';
import type { SigningStore } from '../../stores/store.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';
import { startTlsServer } from '../support/tls-server.ts';

const server = await stopAfterAll(startTlsServer({}));
const key = Buffer.from('key').toString('base64');
const stores = openStores(
  {
    AWS_ENDPOINT_URL_S3: server.url,
    AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=https;AccountName=account;AccountKey=${key};BlobEndpoint=${server.url}/account`,
  },
  60,
);

afterEach(() => void vi.unstubAllEnvs());

describe.each(['s3://media/talk.wav', 'az://account/media/talk.wav'])('the store of %s', (url) => {
  test('says why its certificate is not trusted, and is not asked again', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    const store = (await stores.at(url)) as SigningStore;
    await expect(store.sizeOf(url, AbortSignal.timeout(10_000))).rejects.toMatchObject({
      passing: false,
      message: expect.stringContaining('cannot be trusted: its certificate is self-signed and not trusted'),
    });
  });
});
