import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { METADATA_ENCODING_KEY, type Payload, type PayloadCodec, ValueError } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { PayloadKey, PayloadKeys } from './payload-keys.ts';

const wireFormat = proto.temporal.api.common.v1.Payload;

/** Names from the SDKs' samples, by which other tools recognise encrypted payloads. */
const encryptedEncoding = 'binary/encrypted';
const keyIdName = 'encryption-key-id';

const cipher = 'aes-256-gcm';
/**
 * NIST SP 800-38D, 5.2.1.1: GCM is designed for this length. Random nonces are safe for 2^32 payloads of one key (8.3).
 */
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts whole payloads (AES-256-GCM: nonce, ciphertext, tag), so that Temporal's history shows neither inputs nor
 * results.
 */
export class EncryptionCodec implements PayloadCodec {
  readonly #current: PayloadKey;
  readonly #keys: ReadonlyMap<string, PayloadKey>;

  constructor(keys: PayloadKeys) {
    this.#current = keys[0];
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => this.#encrypt(payload));
  }

  /** Leaves an unencrypted payload as it is: it comes from a run older than the key, or from another program. */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => (encodingOf(payload) === encryptedEncoding ? this.#decrypt(payload) : payload));
  }

  #encrypt(payload: Payload): Payload {
    const { id, secret } = this.#current;
    const nonce = randomBytes(nonceBytes);
    const encryption = createCipheriv(cipher, secret, nonce);
    encryption.setAAD(Buffer.from(id));
    const sealed = [encryption.update(wireFormat.encode(payload).finish()), encryption.final()];
    return {
      metadata: {
        [METADATA_ENCODING_KEY]: Buffer.from(encryptedEncoding),
        'encryption-cipher': Buffer.from(cipher),
        [keyIdName]: Buffer.from(id),
      },
      data: Buffer.concat([nonce, ...sealed, encryption.getAuthTag()]),
    };
  }

  #decrypt(payload: Payload): Payload {
    const id = Buffer.from(payload.metadata?.[keyIdName] ?? []).toString();
    const key = this.#keys.get(id);
    if (key === undefined) {
      throw new ValueError(
        `A payload is encrypted by the key ${id}, which is not among those of PAYLOAD_KEY or PAYLOAD_KEY_FILE.`,
      );
    }
    const data = Buffer.from(payload.data ?? []);
    const decryption = createDecipheriv(cipher, key.secret, data.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decryption.setAAD(Buffer.from(id));
    decryption.setAuthTag(data.subarray(-tagBytes));
    const opened = [decryption.update(data.subarray(nonceBytes, -tagBytes)), decryption.final()];
    return wireFormat.decode(Buffer.concat(opened));
  }
}

function encodingOf({ metadata }: Payload): string {
  return Buffer.from(metadata?.[METADATA_ENCODING_KEY] ?? []).toString();
}
