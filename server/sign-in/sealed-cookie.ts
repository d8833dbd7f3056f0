import type { Request, Response } from 'express';
import type { JWTPayload } from 'jose';
import { seal, unseal } from '../access/sealed-token.ts';

export interface SealedCookieOptions {
  name: string;
  key: Uint8Array;
  lifetimeSeconds: number;
  /** `lax` cookies are also sent when another site redirects back to us. */
  sameSite: 'strict' | 'lax';
  isSecure: boolean;
}

/** An encrypted cookie that only this server can read or create, hidden from scripts. */
export class SealedCookie {
  readonly #options: SealedCookieOptions;

  constructor(options: SealedCookieOptions) {
    this.#options = options;
  }

  async set(response: Response, content: JWTPayload): Promise<void> {
    const { key, lifetimeSeconds } = this.#options;
    const sealed = await seal(content, new Date(Date.now() + lifetimeSeconds * 1000), key);
    response.cookie(this.#name, sealed, { ...this.#attributes, maxAge: lifetimeSeconds * 1000 });
  }

  /** Undefined if the cookie is missing, expired or sealed with another key. */
  async read({ headers }: Request): Promise<JWTPayload | undefined> {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const sealed = pairs.find((pair) => pair.startsWith(`${this.#name}=`))?.slice(this.#name.length + 1);
    if (sealed === undefined) return undefined;
    const content = await unseal(sealed, this.#options.key);
    return typeof content === 'string' ? undefined : content;
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
