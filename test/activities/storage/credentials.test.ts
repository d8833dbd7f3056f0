import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openS3Store } from '../../../stores/s3/s3-store.ts';
import { CredentialsUnavailable } from '../../../stores/store-error.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { answer, encodeResult, errorAnswer, ScriptedContainer } from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';
import { fakeStores } from '../../support/fake-stores.ts';
import { testFolder } from '../../support/folder.ts';

// These tests run the AWS SDK itself with failing sources of credentials.

const openStore = () => openS3Store({ AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }, 600);
const url = 's3://media/a.wav';

let folder: string;
let service: MediaServer;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  environment = { ...process.env };
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) delete process.env[name];
  folder = testFolder();
  service = await MediaServer.start();
  process.env['AWS_CONFIG_FILE'] = join(folder, 'config');
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = join(folder, 'credentials');
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
});
afterEach(async () => {
  process.env = environment;
  await service.stop();
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const issued = () => ({ AccessKeyId: 'AKIA', SecretAccessKey: 'secret', Token: 'token', Expiration: inAnHour() });

/** The credentials endpoint of ECS and EKS, which fails until `mend` is called. */
function useContainerCredentials(fault: { status: number; body: string }): { mend(): void } {
  process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = `${service.url}/credentials`;
  let now = fault;
  service.on('GET /credentials', (_, response) => {
    response.writeHead(now.status, { 'content-type': 'application/json' }).end(now.body);
  });
  return { mend: () => void (now = { status: 200, body: JSON.stringify(issued()) }) };
}

/** A `credential_process` that fails while the file `isDown` has content. */
async function useCommand(): Promise<{ isDown: string }> {
  const [command, isDown] = [join(folder, 'credentials.sh'), join(folder, 'down')];
  const printed = JSON.stringify({
    Version: 1,
    AccessKeyId: 'AKIA',
    SecretAccessKey: 'secret',
    Expiration: inAnHour(),
  });
  await writeFile(
    command,
    `#!/bin/sh\nif [ -s '${isDown}' ]; then cat '${isDown}' >&2; exit 255; fi\necho '${printed}'\n`,
  );
  await chmod(command, 0o755);
  await writeFile(join(folder, 'config'), `[default]\ncredential_process = ${command}\n`);
  return { isDown };
}

test.each([
  ['is overloaded', { status: 503, body: 'slow down' }],
  ['answers a page', { status: 200, body: '<html></html>' }],
])(
  'an attempt counts as a lost connection while the service of credentials %s, and the next one succeeds',
  async (_, fault) => {
    const { mend } = useContainerCredentials(fault);
    const container = await ScriptedContainer.start(() => answer(200, encodeResult));
    const stores = fakeStores(openStore());
    const attempt = () => new TestAttempt(container.url, { stores }).encode({ sourceUrl: 's3://media/a.wav' });
    const failure = await failureOf(attempt());
    expect(failure).toMatchObject({ type: 'ConnectionError', facts: { code: 'credentials_unavailable' } });
    expect(failure.message).toMatch(/^There are no credentials for s3:\/\/media\/…: /);
    expect(container.requests).toEqual([]);
    mend();
    await attempt();
    const [request] = container.requestsTo('POST', '/encode');
    expect(request?.body.sourceUrl).toContain('X-Amz-Security-Token=token');
    await container.stop();
  },
);

test('signs and uploads again after an expired single sign-on token is renewed', async () => {
  const { isDown } = await useCommand();
  await writeFile(isDown, 'Error: the SSO session has expired, log in again\nsecret-in-the-second-line\n');
  const store = openStore();
  const failure: unknown = await store.sign(url, { kind: 'get' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CredentialsUnavailable);
  const begun = store.beginUpload(url, { contentType: 'audio/mpeg' }, new AbortController().signal);
  await expect(begun).rejects.toBeInstanceOf(CredentialsUnavailable);
  await writeFile(isDown, '');
  expect((await store.sign(url, { kind: 'part', uploadId: 'id', part: 1 })).url).toContain('partNumber=1');
});

test('reports missing credentials, and finds them when they come later', async () => {
  const store = openStore();
  const attempt = new TestAttempt('http://127.0.0.1:9', { stores: fakeStores(store) }).encode({
    sourceUrl: 's3://media/a.wav',
  });
  expect(await failureOf(attempt)).toMatchObject({
    type: 'ConnectionError',
    message: 'There are no credentials for s3://media/…: Could not load credentials from any providers',
  });
  await useCommand();
  expect((await store.sign(url, { kind: 'get' })).url).toContain('X-Amz-Signature=');
});

test.each([
  ['upload_refused', 'InvalidAccessKeyId'],
  ['upload_refused', 'RequestTimeTooSkewed'],
  ['upload_refused', 'ExpiredToken'],
  ['source_not_found', 'SignatureDoesNotMatch'],
])('retries like a lost connection when a store refuses our own signature (%s, %s)', async (code, storeCode) => {
  await useCommand();
  const refusal = errorAnswer(422, code, { status: 403, storeCode });
  const container = await ScriptedContainer.start(() => refusal);
  const stores = fakeStores(openStore());
  const [ownUrl, callersUrl] = ['s3://media/a.wav', 'https://media.test/a.wav?X-Amz-Signature=1'];
  const cut = async (sourceUrl: string, uploadUrl: string) => {
    const attempt = new TestAttempt(container.url, { stores }).chunk({ sourceUrl, chunks: [{ index: 0, uploadUrl }] });
    return await failureOf(attempt);
  };
  const isUpload = code === 'upload_refused';
  expect(await (isUpload ? cut(callersUrl, ownUrl) : cut(ownUrl, callersUrl))).toMatchObject({
    type: 'ConnectionError',
    facts: { code: 'credentials_unavailable' },
  });
  // Only the caller can renew its own URL, also beside one of ours.
  const theirs = await (isUpload ? cut(ownUrl, callersUrl) : cut(callersUrl, ownUrl));
  expect(theirs.type).not.toBe('ConnectionError');
  expect(theirs.facts).not.toHaveProperty('resubmit');
  await container.stop();
});

test('fails at once when the credentials lack a permission', async () => {
  await useCommand();
  const container = await ScriptedContainer.start(() =>
    errorAnswer(422, 'upload_refused', { status: 403, storeCode: 'AccessDenied' }),
  );
  const stores = fakeStores(openStore());
  const attempt = new TestAttempt(container.url, { stores }).encode({ sourceUrl: 's3://media/a.wav' });
  expect((await failureOf(attempt)).type).toBe('UploadRefused');
  await container.stop();
});
