import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openS3Store } from '../../../stores/s3/s3-store.ts';
import { CredentialsUnavailable } from '../../../stores/store-error.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { answer, encodeResult, errorAnswer, ScriptedContainer } from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';
import { fakeStores } from '../../support/fake-stores.ts';

// The AWS SDK itself, with sources of credentials that misbehave.

const openStore = () => openS3Store({ AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }, 600);
const url = 's3://media/a.wav';
const part = { kind: 'part', uploadId: 'id', part: 1 } as const;

let folder: string;
let service: MediaServer;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  environment = { ...process.env };
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) delete process.env[name];
  folder = await mkdtemp(join(tmpdir(), 'holdfast-credentials-'));
  service = await MediaServer.start();
  process.env['AWS_CONFIG_FILE'] = join(folder, 'config');
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = join(folder, 'credentials');
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
});
afterEach(async () => {
  process.env = environment;
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const issued = () => ({ AccessKeyId: 'AKIA', SecretAccessKey: 'secret', Token: 'token', Expiration: inAnHour() });

/** The endpoint of ECS and EKS, which misbehaves until it is mended. */
function useContainerCredentials(fault: { status: number; body: string }): { mend(): void } {
  process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = `${service.url}/credentials`;
  let now = fault;
  service.on('GET /credentials', (_, response) => {
    response.writeHead(now.status, { 'content-type': 'application/json' }).end(now.body);
  });
  return { mend: () => void (now = { status: 200, body: JSON.stringify(issued()) }) };
}

/** A command of the configuration, which fails while `isDown` has content. */
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
  'a service of credentials that %s makes the attempt a lost connection, and the next one succeeds',
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

test('a token of single sign-on that has run out, and is renewed, is waited for', async () => {
  const { isDown } = await useCommand();
  await writeFile(isDown, 'Error: the SSO session has expired, log in again\nsecret-in-the-second-line\n');
  const store = openStore();
  const failure: unknown = await store.sign(url, { kind: 'get' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CredentialsUnavailable);
  await writeFile(isDown, '');
  expect((await store.sign(url, { kind: 'get' })).url).toContain('X-Amz-Signature=');
});

test('uploads in parts find the same hiccup, and go on', async () => {
  const { isDown } = await useCommand();
  await writeFile(isDown, 'no');
  const store = openStore();
  const begun = store.beginUpload(url, { contentType: 'audio/mpeg' }, AbortSignal.timeout(5_000));
  await expect(begun).rejects.toBeInstanceOf(CredentialsUnavailable);
  await expect(store.sign(url, part)).rejects.toBeInstanceOf(CredentialsUnavailable);
  await writeFile(isDown, '');
  expect((await store.sign(url, part)).url).toContain('partNumber=1');
});

test('without any credentials the sentence says so, and they may come while the run waits', async () => {
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
])(
  'a store that refuses our own signature (%s, %s) is tried again for as long as a connection',
  async (code, storeCode) => {
    await useCommand();
    const refusal = errorAnswer(422, code, { status: 403, storeCode });
    const container = await ScriptedContainer.start(() => refusal);
    const stores = fakeStores(openStore());
    const ours = new TestAttempt(container.url, { stores }).encode({ sourceUrl: 's3://media/a.wav' });
    expect(await failureOf(ours)).toMatchObject({
      type: 'ConnectionError',
      facts: { code: 'credentials_unavailable' },
    });
    // The caller's URL is the caller's to renew.
    const theirs = new TestAttempt(container.url, { stores }).encode({
      sourceUrl: 'https://media.test/a.wav?X-Amz-Signature=1',
    });
    expect((await failureOf(theirs)).type).not.toBe('ConnectionError');
    await container.stop();
  },
);

test('what the credentials do not allow is refused at once', async () => {
  await useCommand();
  const container = await ScriptedContainer.start(() =>
    errorAnswer(422, 'upload_refused', { status: 403, storeCode: 'AccessDenied' }),
  );
  const stores = fakeStores(openStore());
  const attempt = new TestAttempt(container.url, { stores }).encode({ sourceUrl: 's3://media/a.wav' });
  expect((await failureOf(attempt)).type).toBe('UploadRefused');
  await container.stop();
});
