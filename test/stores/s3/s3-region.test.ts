import { afterEach, expect, test, vi } from 'vitest';
import { openS3Store } from '../../../stores/s3/s3-store.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('names AWS_REGION when the region of a bucket is unknown', async () => {
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/dev/null');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  const url = 's3://media/talk.wav';
  const reason = /^the region is not known; set AWS_REGION, such as to eu-central-1$/;
  const store = openS3Store({}, 60);
  await expect(store.sign(url, { kind: 'get' })).rejects.toThrow(reason);
  await expect(store.sign(url, { kind: 'put' })).rejects.toThrow(reason);
  await expect(store.sizeOf(url, new AbortController().signal)).rejects.toThrow(reason);
  const signed = await openS3Store({ AWS_REGION: 'eu-west-1' }, 60).sign(url, { kind: 'get' });
  expect(signed.url).toContain('.eu-west-1.');
});
