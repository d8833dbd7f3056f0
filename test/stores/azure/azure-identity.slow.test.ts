import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { openStores } from '../../../stores/backends.ts';
import { createTestAgent } from '../../container/transfer/ranged-source.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { startAzurite } from '../../support/azurite.ts';
import { useFolder } from '../../support/folder.ts';
import { endAfterAll, stopAfterAll } from '../../support/stop-after-all.ts';
import { certificateOf, trust } from '../../support/tls-server.ts';
import { containerSide } from '../conformance/container-side.ts';

// Azurite accepts any token with the claims of Azure Storage, and gives user delegation keys for it.
const https = certificateOf('localhost');
trust({ certificate: https.cert });
const azurite = await stopAfterAll(startAzurite(https));
const tokens = await stopAfterAll(MediaServer.start());
const dispatcher = createTestAgent(20);
endAfterAll(async () => await dispatcher.destroy());
const tokenFile = join(useFolder(), 'federated-token');
const url = `az://${azurite.account}/media/in/talk #1, 100%.wav`;
const connection = `AccountName=${azurite.account};BlobEndpoint=${azurite.endpoint}/${azurite.account}`;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of Entra ID, without a good signature. */
function makeToken(): string {
  const [now, tenant] = [Math.floor(Date.now() / 1000), 'ab1f708d-50f6-404c-a006-d71b2ac7a606'];
  const claims = {
    ...{ aud: 'https://storage.azure.com', iss: `https://sts.windows.net/${tenant}/`, tid: tenant },
    ...{ oid: '11059fcc-5514-4800-b5f8-49808b9cfab6', nbf: now - 60, iat: now - 60, exp: now + 3600 },
  };
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}.c2lnbmF0dXJl`;
}

/** Requests that the service of tokens received. */
let asked: { headers: object; body: string; query: string }[];
let reply: { status: number; body: object };
const answerTo = (route: string): string =>
  tokens.on(route, async (request, response) => {
    const query = new URL(request.url ?? '', tokens.url).search;
    asked.push({ headers: request.headers, body: await text(request), query });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  });
answerTo('GET /metadata/identity/oauth2/token');
answerTo('POST /a-tenant/oauth2/v2.0/token');
beforeEach(async () => {
  asked = [];
  reply = { status: 200, body: { access_token: makeToken(), expires_in: '3600' } };
  await writeFile(tokenFile, 'the-secret-of-the-pod\n');
});

const pod = {
  AZURE_CLIENT_ID: 'a-client',
  AZURE_TENANT_ID: 'a-tenant',
  AZURE_FEDERATED_TOKEN_FILE: tokenFile,
  AZURE_AUTHORITY_HOST: `${tokens.url}/`,
};
const storesWith = (variables: object) =>
  openStores({ AZURE_STORAGE_CONNECTION_STRING: connection, ...variables }, 600);

test.each<[string, object, RegExp]>([
  ['a managed identity', { AZURE_POD_IDENTITY_AUTHORITY_HOST: tokens.url }, /^\?api-version=.*&resource=https/],
  ['the workload identity of a pod', pod, /^$/],
])('a container stores and reads a file by signatures of %s', async (_what, variables, query) => {
  const stores = storesWith(variables);
  const partBytes = 1024 ** 2;
  const container = containerSide(dispatcher, undefined, {
    largestSinglePutBytes: 2 * partBytes,
    usualPartBytes: partBytes,
  });
  for (const body of [randomBytes(1000), randomBytes(3 * partBytes)]) {
    await container.deliver(stores, url, body);
    expect((await container.fetch(stores, url)).equals(body)).toBe(true);
  }
  // One token and one key serve all signatures.
  expect(asked).toHaveLength(1);
  expect(asked[0]?.query).toMatch(query);
  const store = await stores.at(url);
  if (store?.kind !== 'signing') throw new Error('The store signs nothing');
  expect(await store.sizeOf(url, AbortSignal.timeout(20_000))).toBe(3 * partBytes);
  const signed = new URL((await store.sign(url, { kind: 'get' })).url);
  expect(signed.searchParams.get('skoid')).toBe('11059fcc-5514-4800-b5f8-49808b9cfab6');
  expect(signed.href).not.toContain('the-secret-of-the-pod');
});

test('sends the token of the pod, and waits while Entra ID refuses it, without showing it', async () => {
  reply = { status: 401, body: { error: 'invalid_client', error_description: 'the-secret-of-the-pod' } };
  const store = await storesWith(pod).at(url);
  if (store?.kind !== 'signing') throw new Error('The store signs nothing');
  const refused: unknown = await store.sign(url, { kind: 'get' }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    name: 'CredentialsUnavailable',
    passing: true,
    message: `There are no credentials for the store: Azure's service of tokens at ${tokens.url} answered 401 invalid_client`,
  });
  expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toMatchObject({
    client_id: 'a-client',
    scope: 'https://storage.azure.com/.default',
    client_assertion: 'the-secret-of-the-pod',
  });
  reply = { status: 200, body: { access_token: makeToken(), expires_in: 3600 } };
  expect((await store.sign(url, { kind: 'get' })).url).toContain('skoid=');
});

test('names the settings that a workload identity lacks', async () => {
  const store = await storesWith({ ...pod, AZURE_TENANT_ID: undefined }).at(url);
  if (store?.kind !== 'signing') throw new Error('The store signs nothing');
  await expect(store.sign(url, { kind: 'get' })).rejects.toMatchObject({
    message: 'AZURE_FEDERATED_TOKEN_FILE needs AZURE_CLIENT_ID and AZURE_TENANT_ID',
    passing: false,
  });
});
