import { createHash } from 'node:crypto';
import { requireSettingFile } from '../process/setting-file.ts';
import { SettingError } from '../process/settings.ts';

/** AES-256 */
const keyBytes = 32;

export interface PayloadKey {
  /** Identifies the key beside its ciphertext and reveals nothing about it. */
  id: string;
  secret: Buffer;
}

/** The first key encrypts; every key decrypts, so that a key can be replaced while its histories are still read. */
export type PayloadKeys = readonly [PayloadKey, ...PayloadKey[]];

/**
 * Reads the keys. `PAYLOAD_KEY` is one key; `PAYLOAD_KEY_FILE` has one key per line, newest first, and comments that
 * start with #. Messages of a SettingError never contain a key.
 */
export function readPayloadKeys(settings: {
  key: string | undefined;
  file: string | undefined;
}): PayloadKeys | undefined {
  const { key, file } = settings;
  if (key !== undefined && file !== undefined) {
    throw new SettingError('PAYLOAD_KEY and PAYLOAD_KEY_FILE are both set. Unset one of them.');
  }
  if (key !== undefined) return [parseKey(key.trim(), 'PAYLOAD_KEY')];
  return file === undefined ? undefined : readKeyFile(file);
}

function readKeyFile(file: string): PayloadKeys {
  const text = requireSettingFile('PAYLOAD_KEY_FILE', file);
  const keys = text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim();
    return trimmed === '' || trimmed.startsWith('#') ? [] : [parseKey(trimmed, `PAYLOAD_KEY_FILE, line ${index + 1},`)];
  });
  const [first, ...others] = keys;
  if (first === undefined) throw new SettingError(`PAYLOAD_KEY_FILE ${file} contains no key.`);
  return [first, ...others];
}

function parseKey(text: string, name: string): PayloadKey {
  const secret = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (secret.length !== keyBytes) {
    throw new SettingError(
      `${name} must be a key of ${keyBytes} bytes in base64 or hex. \`openssl rand -base64 ${keyBytes}\` generates one.`,
    );
  }
  return {
    id: createHash('sha256').update('holdfast payload key\0').update(secret).digest('hex').slice(0, 16),
    secret,
  };
}
