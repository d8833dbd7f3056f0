import { hkdfSync, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';

const [keyManagement, encryption] = ['dir', 'A256GCM'];
/** Fixed algorithms: the sender of a cookie must not choose them. */
const sealing = { keyManagementAlgorithms: [keyManagement], contentEncryptionAlgorithms: [encryption] };

export interface SealedCookieOptions {
  name: string;
  key: Uint8Array;
  lifetimeSeconds: number;
  /** `lax` cookies are also sent when another site redirects back to us. */
  sameSite: 'strict' | 'lax';
  isSecure: boolean;
}

/** Derives the key of one cookie. Without a secret the key is random, so cookies end with the process. */
export function cookieKey(secret: string | undefined, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret ?? randomBytes(32), '', `holdfast ${purpose}`, 32));
}

/** An encrypted cookie that only this server can read or create, hidden from scripts. */
export class SealedCookie {
  readonly #options: SealedCookieOptions;

  constructor(options: SealedCookieOptions) {
    this.#options = options;
  }

  async set(response: Response, content: JWTPayload): Promise<void> {
    const { key, lifetimeSeconds } = this.#options;
    const sealed = await new EncryptJWT(content)
      .setProtectedHeader({ alg: keyManagement, enc: encryption })
      .setExpirationTime(`${lifetimeSeconds} s`)
      .encrypt(key);
    response.cookie(this.#name, sealed, { ...this.#attributes, maxAge: lifetimeSeconds * 1000 });
  }

  /** Undefined if the cookie is missing, expired or sealed with another key. */
  async read({ headers }: Request): Promise<JWTPayload | undefined> {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const sealed = pairs.find((pair) => pair.startsWith(`${this.#name}=`))?.slice(this.#name.length + 1);
    if (sealed === undefined) return undefined;
    try {
      return (await jwtDecrypt(sealed, this.#options.key, sealing)).payload;
    } catch {
      return undefined;
    }
  }

  clear(response: Response): void {
    response.clearCookie(this.#name, this.#attributes);
  }

  get #name(): string {
    const { name, isSecure } = this.#options;
    // Without this prefix, another host of the same domain could set the cookie.
    return isSecure ? `__Host-${name}` : name;
  }

  get #attributes() {
    const { sameSite, isSecure } = this.#options;
    return { httpOnly: true, sameSite, path: '/', secure: isSecure } as const;
  }
}
