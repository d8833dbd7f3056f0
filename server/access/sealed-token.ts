import { hkdfSync, randomBytes } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt, type JWTPayload } from 'jose';

const [keyManagement, encryption] = ['dir', 'A256GCM'];
/** Fixed algorithms: the sender of a token must not choose them. */
const sealing = { keyManagementAlgorithms: [keyManagement], contentEncryptionAlgorithms: [encryption] };

/** Derives the key for one purpose. Without a secret the key is random, so its tokens end with the process. */
export function sealingKey(secret: string | undefined, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret ?? randomBytes(32), '', `holdfast ${purpose}`, 32));
}

/** Makes an encrypted token that only a holder of the key can read or make. */
export async function seal(content: JWTPayload, expires: Date, key: Uint8Array): Promise<string> {
  return await new EncryptJWT(content)
    .setProtectedHeader({ alg: keyManagement, enc: encryption })
    .setExpirationTime(expires)
    .encrypt(key);
}

/** `unreadable`: the token is damaged, or was made with another key. */
export async function unseal(token: string, key: Uint8Array): Promise<JWTPayload | 'expired' | 'unreadable'> {
  try {
    return (await jwtDecrypt(token, key, sealing)).payload;
  } catch (error) {
    return error instanceof errors.JWTExpired ? 'expired' : 'unreadable';
  }
}
