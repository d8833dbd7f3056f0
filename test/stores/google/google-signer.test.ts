import { verify } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { googleSigner } from '../../../stores/google/google-signer.ts';
import { testFolder } from '../../support/folder.ts';
import { googleKey } from '../../support/google-key.ts';

let folder: string;
let keyFile: string;
beforeEach(() => {
  folder = testFolder();
  keyFile = join(folder, 'key.json');
});

const lifetime = { from: new Date('2026-11-28T01:02:03Z'), expiresSeconds: 600 };
const request = { method: 'GET', path: "/media/in/Grüße (1) it's #100%?.mp3", query: {} } as const;
const disposition = "attachment; filename*=UTF-8''a%20b.mp3";

// The URLs and digests are those of @google-cloud/storage 8.4.0 for the same requests.
const common =
  'https://storage.googleapis.com/media/in/Gr%C3%BC%C3%9Fe%20%281%29%20it%27s%20%23100%25%3F.mp3?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=worker%40media.iam.gserviceaccount.com%2F20261128%2Fauto%2Fstorage%2Fgoog4_request&X-Goog-Date=20261128T010203Z&X-Goog-Expires=600&X-Goog-SignedHeaders=host';
test.each([
  [
    { ...request, query: { 'response-content-disposition': disposition } },
    '&response-content-disposition=attachment%3B%20filename%2A%3DUTF-8%27%27a%2520b.mp3',
    'ee4971249c06c1a714b623c77b20a824db59d8872326add2336bafbb6000ae30',
  ],
  [
    { ...request, method: 'PUT', query: { uploadId: 'ab/c==', partNumber: '2' } },
    '&partNumber=2&uploadId=ab%2Fc%3D%3D',
    '12608d45e434568fc30426a6dfd954f28028a0d9ae9377a9eb9cbba17bdb0ffc',
  ],
  [
    { ...request, method: 'PUT', query: { uploadId: 'ab/c==', partNumber: '2' }, bytes: 8_388_608 },
    '&partNumber=2&uploadId=ab%2Fc%3D%3D',
    '742d1c2613a282775c0039cce9aa9ee94019460efa9dbafebeeff11c62630c79',
  ],
  [{ ...request, method: 'DELETE' }, '', '03d847c3e0b1db7c857be47f2cf40733c912839b88710bad932fea0da2af1968'],
] as const)('signs %j as Google’s own library does', async (asked, query, digest) => {
  const { publicKey, file } = googleKey();
  await writeFile(keyFile, file);
  const url = await googleSigner({ GOOGLE_APPLICATION_CREDENTIALS: keyFile })(asked, lifetime);
  const [signed, signature = ''] = url.split('&X-Goog-Signature=');
  const headers = 'bytes' in asked ? 'SignedHeaders=content-length%3Bhost' : 'SignedHeaders=host';
  expect(signed).toBe(common.replace('SignedHeaders=host', headers) + query);
  const text = `GOOG4-RSA-SHA256\n20261128T010203Z\n20261128/auto/storage/goog4_request\n${digest}`;
  expect(verify('RSA-SHA256', Buffer.from(text), publicKey, Buffer.from(signature, 'hex'))).toBe(true);
});

test('signs with a renewed key without a restart', async () => {
  const sign = googleSigner({ GOOGLE_APPLICATION_CREDENTIALS: keyFile });
  await writeFile(keyFile, googleKey().file);
  const first = await sign(request, lifetime);
  await writeFile(keyFile, googleKey().file.replace('worker@', 'renewed@'));
  const second = await sign(request, lifetime);
  expect(first).toContain('worker%40');
  expect(second).toContain('renewed%40');
});

test('a run waits while a key that was good is replaced', async () => {
  const sign = googleSigner({ GOOGLE_APPLICATION_CREDENTIALS: keyFile });
  await writeFile(keyFile, googleKey().file);
  await sign(request, lifetime);
  const { file } = googleKey();
  for (const unfinished of ['', file.slice(0, 500)]) {
    await writeFile(keyFile, unfinished);
    await expect(sign(request, lifetime)).rejects.toMatchObject({ name: 'CredentialsUnavailable', passing: true });
  }
  await writeFile(keyFile, file.replace('worker@', 'renewed@'));
  expect(await sign(request, lifetime)).toContain('renewed%40');
});

test('names the setting if it is unset, or if its file is missing or has no key', async () => {
  const sign = googleSigner({ GOOGLE_APPLICATION_CREDENTIALS: keyFile });
  await expect(sign(request, lifetime)).rejects.toMatchObject({
    message: 'the file of GOOGLE_APPLICATION_CREDENTIALS cannot be read (ENOENT)',
    passing: false,
  });
  for (const text of ['private', '{"type": "service_account", "client_email": "a", "private_key": "private"}']) {
    await writeFile(keyFile, text);
    const refused: unknown = await sign(request, lifetime).catch((error: unknown) => error);
    expect(String(refused)).toContain('the file of GOOGLE_APPLICATION_CREDENTIALS has no key of a service account');
    expect(inspect(refused)).not.toContain('"private"');
  }
  await expect(googleSigner({})(request, lifetime)).rejects.toThrow('set GOOGLE_APPLICATION_CREDENTIALS');
});
