import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { EncryptionCodec } from '../../codec/encryption-codec.ts';
import { readPayloadKeys, type PayloadKeys } from '../../codec/payload-keys.ts';

function newKeys(): PayloadKeys {
  const keys = readPayloadKeys({ key: randomBytes(32).toString('base64'), file: undefined });
  if (keys === undefined) throw new Error('unreachable');
  return keys;
}

const value = { sourceUrl: 'https://media.test/episode.wav?X-Amz-Signature=secret', outputs: [] };
const payload = defaultPayloadConverter.toPayload(value);

test('an encrypted payload reveals nothing and is read again with its key', async () => {
  const codec = new EncryptionCodec(newKeys());
  const [sealed] = await codec.encode([payload]);
  if (sealed === undefined) throw new Error('unreachable');
  expect(Buffer.from(sealed.data ?? []).includes('episode')).toBe(false);
  expect(Buffer.from(sealed.metadata?.['encoding'] ?? []).toString()).toBe('binary/encrypted');
  const [opened] = await codec.decode([sealed]);
  expect(opened && defaultPayloadConverter.fromPayload(opened)).toEqual(value);
});

test('the same payload is never encrypted to the same bytes twice', async () => {
  const codec = new EncryptionCodec(newKeys());
  const [one, two] = await codec.encode([payload, payload]);
  expect(Buffer.from(one?.data ?? []).equals(Buffer.from(two?.data ?? []))).toBe(false);
});

test('an unencrypted payload passes unchanged', async () => {
  expect(await new EncryptionCodec(newKeys()).decode([payload])).toEqual([payload]);
});

test('a replaced key still decrypts its payloads, and no other key does', async () => {
  const [old, current] = [newKeys(), newKeys()];
  const sealed = await new EncryptionCodec(old).encode([payload]);
  const [opened] = await new EncryptionCodec([current[0], ...old]).decode(sealed);
  expect(opened && defaultPayloadConverter.fromPayload(opened)).toEqual(value);
  await expect(new EncryptionCodec(current).decode(sealed)).rejects.toThrow(/not among those of PAYLOAD_KEY/);
});

test('a payload that was changed on the way is refused', async () => {
  const codec = new EncryptionCodec(newKeys());
  const [sealed] = await codec.encode([payload]);
  const data = Buffer.from(sealed?.data ?? []);
  for (const place of [0, 20, data.length - 1]) {
    const changed = Buffer.from(data);
    changed[place] = (changed[place] ?? 0) ^ 1;
    await expect(codec.decode([{ ...sealed, data: changed }])).rejects.toThrow();
  }
});
