import { BlobSASPermissions, type BlobServiceClient } from '@azure/storage-blob';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { signByIdentity } from '../../../stores/azure/blob-signer.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.parse('2026-11-28T00:00:00Z');

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: startMs }));
afterEach(() => void vi.useRealTimers());

/** A signer with a service that counts its keys. The id of the key's tenant is its number. */
function makeSigner(fails: () => boolean = () => false) {
  const lives: { fromMs: number; untilMs: number }[] = [];
  const getUserDelegationKey = async (from: Date, until: Date) => {
    if (fails()) throw new Error('no key');
    const number = lives.push({ fromMs: from.getTime(), untilMs: until.getTime() });
    return {
      ...{ signedObjectId: 'object', signedTenantId: String(number), signedService: 'b', signedVersion: '2022-11-02' },
      ...{ signedStartsOn: from, signedExpiresOn: until, value: Buffer.from(`key ${number}`).toString('base64') },
    };
  };
  const sign = signByIdentity({ getUserDelegationKey } as unknown as BlobServiceClient, 'account');
  const keyOf = async (expiresMs: number) => {
    const permissions = BlobSASPermissions.parse('r');
    const signed = await sign({
      ...{ containerName: 'media', blobName: 'a', version: '2022-11-02', permissions },
      expiresOn: new Date(expiresMs),
    });
    return { key: Number(new URLSearchParams(signed.query).get('sktid')), expiresAtMs: signed.expiresAtMs };
  };
  return { lives, keyOf };
}

test('one key signs for an hour, and a revoked key is replaced after it', async () => {
  const { keyOf, lives } = makeSigner();
  const keyAfter = async (ms: number) => {
    vi.setSystemTime(startMs + ms);
    return (await keyOf(startMs + ms + 12 * hourMs)).key;
  };
  expect([await keyAfter(0), await keyAfter(hourMs - 1), await keyAfter(hourMs)]).toEqual([1, 1, 2]);
  // The clock of this machine was wrong.
  expect(await keyAfter(-dayMs)).toBe(3);
  expect(lives[0]).toEqual({ fromMs: startMs - 300_000, untilMs: startMs + dayMs });
});

test('a signature ends with its key, which lives for seven days at most', async () => {
  const { keyOf, lives } = makeSigner();
  expect((await keyOf(startMs + 2 * dayMs)).expiresAtMs).toBe(startMs + 2 * dayMs);
  const { expiresAtMs } = await keyOf(startMs + 30 * dayMs);
  expect(expiresAtMs).toBe(startMs + 7 * dayMs - 600_000);
  for (const { fromMs, untilMs } of lives) expect(untilMs - fromMs).toBeLessThanOrEqual(7 * dayMs);
  expect(lives.at(-1)?.untilMs).toBe(expiresAtMs);
});

test('asks again after Azure has given no key', async () => {
  let isDown = true;
  const { keyOf } = makeSigner(() => isDown);
  await expect(keyOf(startMs + hourMs)).rejects.toThrow('no key');
  isDown = false;
  expect((await keyOf(startMs + hourMs)).key).toBe(1);
});
