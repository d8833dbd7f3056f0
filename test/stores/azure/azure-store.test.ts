import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { openAzureStore } from '../../../stores/azure/azure-store.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { testFolder } from '../../support/folder.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const key = Buffer.from('a secret key').toString('base64');
const connection = (account: string, accountKey = key) =>
  `DefaultEndpointsProtocol=https;AccountName=${account};AccountKey=${accountKey};EndpointSuffix=core.windows.net`;
const url = "az://holdfast/media/in/Grüße (1) it's #100%?.mp3";

test('signs one request to one blob for the time that the caller gives', async () => {
  const store = openAzureStore({ AZURE_STORAGE_CONNECTION_STRING: connection('holdfast') }, 600);
  const lifetime = { from: new Date('2026-11-28T01:02:03Z'), expiresSeconds: 60 };
  const shown = { contentType: 'audio/mpeg', disposition: 'attachment' };
  const signed = await store.sign(url, { kind: 'get', shown }, lifetime);
  expect(signed.expiresAtMs).toBe(Date.parse('2026-11-28T01:03:03Z'));
  const { origin, pathname, searchParams } = new URL(signed.url);
  expect(origin + decodeURIComponent(pathname)).toBe(
    "https://holdfast.blob.core.windows.net/media/in/Grüße (1) it's #100%?.mp3",
  );
  expect(Object.fromEntries(searchParams)).toMatchObject({
    ...{ sp: 'r', sr: 'b', se: '2026-11-28T01:03:03Z', rsct: 'audio/mpeg', rscd: 'attachment' },
    // An update of Azure's SDK must not ask for another version of the service.
    sv: '2022-11-02',
  });
  expect(signed.url).not.toContain(key);
  const permissions = [];
  for (const kind of ['put', 'delete'] as const) {
    permissions.push(new URL((await store.sign(url, { kind })).url).searchParams.get('sp'));
  }
  expect(permissions).toEqual(['cw', 'd']);
});

test('signs for the container and the blob of the URL if the endpoint has a path', async () => {
  const lifetime = { from: new Date('2026-11-28T01:02:03Z'), expiresSeconds: 60 };
  const signedAt = async (endpoint: string): Promise<URL> => {
    const text = `DefaultEndpointsProtocol=http;AccountName=holdfast;AccountKey=${key};BlobEndpoint=${endpoint}`;
    const store = openAzureStore({ AZURE_STORAGE_CONNECTION_STRING: text }, 600);
    return new URL((await store.sign('az://holdfast/media/in/a', { kind: 'get' }, lifetime)).url);
  };
  const behindPath = await signedAt('http://azurite.test:8080/holdfast');
  const azure = await signedAt('https://holdfast.blob.core.windows.net');
  expect(behindPath.pathname).toBe('/holdfast/media/in/a');
  // The signature covers account, container and blob, and not the host.
  expect(behindPath.searchParams.get('sig')).toBe(azure.searchParams.get('sig'));
});

test('finds each account of a file, and renewed keys without a restart', async () => {
  const folder = testFolder();
  const path = join(folder, 'accounts');
  await writeFile(path, `${connection('first')}\n\n${connection('second')}\n`);
  const store = openAzureStore({ AZURE_STORAGE_CONNECTION_STRING_FILE: path }, 600);
  const lifetime = { from: new Date('2026-11-28T01:02:03Z'), expiresSeconds: 60 };
  const sign = async () => (await store.sign('az://second/media/a', { kind: 'get' }, lifetime)).url;
  const before = await sign();
  expect(await sign()).toBe(before);
  await writeFile(path, connection('second', Buffer.from('a renewed key').toString('base64')));
  expect(await sign()).not.toBe(before);
  // A run waits while the file is replaced.
  for (const [replace, reason] of [
    [() => writeFile(path, ''), 'AZURE_STORAGE_CONNECTION_STRING_FILE has no connection string'],
    [() => rm(path), 'the file of AZURE_STORAGE_CONNECTION_STRING_FILE cannot be read (ENOENT)'],
    [() => mkdir(path), 'the file of AZURE_STORAGE_CONNECTION_STRING_FILE is not a regular file'],
  ] as const) {
    await replace();
    await expect(sign()).rejects.toMatchObject({
      name: 'CredentialsUnavailable',
      message: `There are no credentials for the store: ${reason}`,
      passing: true,
    });
  }
  const fresh = openAzureStore({ AZURE_STORAGE_CONNECTION_STRING_FILE: path }, 600);
  await expect(fresh.sign('az://second/media/a', { kind: 'get' })).rejects.toMatchObject({
    message: 'the file of AZURE_STORAGE_CONNECTION_STRING_FILE is not a regular file',
    passing: false,
  });
});

test('a run waits while Azure gives its identity no key', async () => {
  const tokens = await stopAfterTest(MediaServer.start());
  tokens.on('GET /metadata/identity/oauth2/token', (_, response) => {
    response.end(JSON.stringify({ access_token: 'the-token-of-the-machine', expires_in: 3600 }));
  });
  const store = openAzureStore(
    {
      AZURE_STORAGE_CONNECTION_STRING: 'AccountName=holdfast;BlobEndpoint=https://127.0.0.1:1',
      AZURE_POD_IDENTITY_AUTHORITY_HOST: tokens.url,
    },
    600,
  );
  const refused: unknown = await store.sign(url, { kind: 'get' }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    name: 'CredentialsUnavailable',
    message: 'There are no credentials for the store: Azure cannot be reached (ECONNREFUSED)',
    passing: true,
  });
  expect(inspect(refused, { depth: 9 })).not.toContain('the-token-of-the-machine');
});

test.each([
  [undefined, 'the key of the account holdfast is not known; set AZURE_STORAGE_CONNECTION_STRING'],
  [connection('another'), 'the key of the account holdfast is not known; set AZURE_STORAGE_CONNECTION_STRING'],
  [
    `AccountKey=${key}`,
    'line 1 of AZURE_STORAGE_CONNECTION_STRING is not a connection string with an AccountKey, or with the AccountName of an https: account alone',
  ],
  [
    'BlobEndpoint=https://holdfast.blob.core.windows.net;SharedAccessSignature=sig=1',
    'line 1 of AZURE_STORAGE_CONNECTION_STRING is not a connection string with an AccountKey, or with the AccountName of an https: account alone',
  ],
])('names the setting if the connection string is %s, and shows no key', async (text, sentence) => {
  const open = async () =>
    await openAzureStore({ AZURE_STORAGE_CONNECTION_STRING: text }, 600).sign(url, { kind: 'get' });
  const refused: unknown = await open().catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'StorageError', passing: false });
  expect(String(refused)).toContain(sentence);
  expect(inspect(refused)).not.toContain(key);
});
