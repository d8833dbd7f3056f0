import { createPrivateKey, sign as signBytes, verify } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { googleAccount } from '../../../stores/google/google-account.ts';
import { machineAccount } from '../../../stores/google/google-identity.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { googleKey } from '../../support/google-key.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const email = 'worker@media.iam.gserviceaccount.com';
const { publicKey, file } = googleKey();
const { private_key: pem } = JSON.parse(file) as { private_key: string };
const google = await stopAfterAll(MediaServer.start());
const tokenPath = 'GET /computeMetadata/v1/instance/service-accounts/default/token';
const signPath = `POST /v1/projects/-/serviceAccounts/${encodeURIComponent(email)}:signBlob`;

const usualToken = 'the-token-of-the-machine';
let token: string;
let seconds: number;
let status: number;
google.on(tokenPath, (request, response) => {
  const isAllowed = request.headers['metadata-flavor'] === 'Google';
  const answer = { access_token: token, expires_in: seconds };
  response.writeHead(isAllowed ? status : 403).end(JSON.stringify(answer));
});
google.on(signPath, async (request, response) => {
  const { payload } = JSON.parse(await text(request)) as { payload: string };
  if (request.headers.authorization !== `Bearer ${usualToken}`) return void response.writeHead(401).end();
  const signed = signBytes('RSA-SHA256', Buffer.from(payload, 'base64'), createPrivateKey(pem)).toString('base64');
  return void response.end(JSON.stringify({ keyId: 'a-key', signedBlob: signed }));
});
beforeEach(() => {
  [token, seconds, status] = [usualToken, 3600, 200];
  google.requests.length = 0;
});

const open = () => machineAccount(email, { metadata: google.url, iam: google.url });
const isSigned = (signed: string, signature: string): boolean =>
  verify('RSA-SHA256', Buffer.from(signed), publicKey, Buffer.from(signature, 'hex'));

test('IAM signs for the service account, and one token serves all signatures', async () => {
  const account = open();
  for (const signed of ['GOOG4-RSA-SHA256\none', 'GOOG4-RSA-SHA256\ntwo']) {
    expect(isSigned(signed, await account.sign(signed))).toBe(true);
  }
  expect(google.count(tokenPath)).toBe(1);
});

test('asks for another token before one ends', async () => {
  seconds = 30;
  const account = open();
  await account.sign('one');
  await account.sign('two');
  expect(google.count(tokenPath)).toBe(2);
});

test('asks for another token after IAM has refused one', async () => {
  const account = open();
  token = 'a revoked token';
  await expect(account.sign('one')).rejects.toMatchObject({ name: 'CredentialsUnavailable' });
  token = usualToken;
  expect(isSigned('one', await account.sign('one'))).toBe(true);
  expect(google.count(tokenPath)).toBe(2);
});

test('signatures at one time share the request for a token', async () => {
  const account = open();
  await Promise.all(['one', 'two', 'three'].map(async (signed) => await account.sign(signed)));
  expect(google.count(tokenPath)).toBe(1);
});

test('a run waits while the machine has no token, and the error shows none', async () => {
  status = 503;
  const account = open();
  const message = `There are no credentials for the store: ${google.url} answered 503`;
  await expect(account.sign('one')).rejects.toMatchObject({ name: 'CredentialsUnavailable', message, passing: true });
  status = 200;
  expect(isSigned('one', await account.sign('one'))).toBe(true);
});

test('uses the identity of the machine only if a service account is set', async () => {
  expect(await googleAccount({ GOOGLE_SERVICE_ACCOUNT: email })()).toMatchObject({ email });
  await expect(googleAccount({})()).rejects.toThrow('set GOOGLE_APPLICATION_CREDENTIALS');
});
