import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPayloadKeys } from '../../codec/payload-keys.ts';
import { useFolder } from '../support/folder.ts';

const folder = useFolder();
const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

async function writeKeys(text: string): Promise<string> {
  const file = join(folder, 'keys');
  await writeFile(file, text);
  return file;
}

test('a key is 32 bytes in base64 or hex, and both spellings give one key', () => {
  const [base64, hex] = [one.toString('base64'), one.toString('hex')].map((key) =>
    readPayloadKeys({ key, file: undefined }),
  );
  expect(base64?.[0].secret).toEqual(one);
  expect(hex).toEqual(base64);
  expect(base64?.[0].id).not.toContain(one.toString('hex').slice(0, 8));
});

test('a file has one key a line, the newest first', async () => {
  const file = await writeKeys(`# since November\n${two.toString('base64')}\n\n# until then\n${one.toString('hex')}\n`);
  expect(readPayloadKeys({ key: undefined, file })?.map(({ secret }) => secret)).toEqual([two, one]);
});

test('there is no key if no setting names one', () => {
  expect(readPayloadKeys({ key: undefined, file: undefined })).toBeUndefined();
});

test('a bad key is refused by the name of its variable, without the key', async () => {
  const short = Buffer.alloc(16, 3).toString('base64');
  expect(() => readPayloadKeys({ key: short, file: undefined })).toThrow(/^PAYLOAD_KEY must be a key of 32 bytes/);
  expect(() => readPayloadKeys({ key: short, file: undefined })).not.toThrow(short);
  const file = await writeKeys(`${one.toString('base64')}\n${short}\n`);
  expect(() => readPayloadKeys({ key: undefined, file })).toThrow(/^PAYLOAD_KEY_FILE, line 2, must be a key/);
  expect(() => readPayloadKeys({ key: 'a', file })).toThrow(/both set/);
  expect(() => readPayloadKeys({ key: undefined, file: join(folder, 'none') })).toThrow(
    /PAYLOAD_KEY_FILE cannot be read/,
  );
  const empty = await writeKeys('# none\n');
  expect(() => readPayloadKeys({ key: undefined, file: empty })).toThrow(/contains no key/);
});
