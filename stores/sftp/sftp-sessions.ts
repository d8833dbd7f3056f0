import { parseRelayedUrl, serverOf } from '../../contract/relayed-url.ts';
import type { AllowedAddresses } from '../../network/address-guard.ts';
import type { Logins } from '../logins/logins.ts';
import { openSftpSession, type SftpSession } from './sftp-session.ts';

/** An unused session stays open for this long: the next file of a package then needs no login of its own. */
const idleCloseMs = 10_000;

interface Shared {
  session: Promise<SftpSession>;
  users: number;
  closing: NodeJS.Timeout | undefined;
}

/** Shares one session for each login, and closes it some seconds after its last use. */
export class SftpSessions {
  readonly #logins: Logins;
  readonly #allowed: AllowedAddresses;
  readonly #shared = new Map<string, Shared>();

  constructor(logins: Logins, allowed: AllowedAddresses) {
    this.#logins = logins;
    this.#allowed = allowed;
  }

  /** Gives a session, which stays open until the caller releases it. */
  async take(url: string): Promise<{ session: SftpSession; path: string; release(): void }> {
    const place = parseRelayedUrl(url);
    if (place === undefined) throw new TypeError(`Not the URL of a file at a store: ${url}`);
    const login = await this.#logins.sftp(url);
    // A changed login must not use the session of the old one.
    const key = JSON.stringify([serverOf(place), login]);
    const known = this.#shared.get(key);
    const shared = known ?? { session: openSftpSession(place, login, this.#allowed), users: 0, closing: undefined };
    if (known === undefined) this.#shared.set(key, shared);
    clearTimeout(shared.closing);
    shared.users += 1;
    const release = (): void => this.#release(key, shared);
    try {
      const session = await shared.session;
      if (session.isOpen) return { session, path: place.path, release };
    } catch (error) {
      this.#forget(key, shared);
      throw error;
    }
    this.#forget(key, shared);
    return await this.take(url);
  }

  #release(key: string, shared: Shared): void {
    shared.users -= 1;
    if (shared.users > 0) return;
    shared.closing = setTimeout(() => {
      this.#forget(key, shared);
      void shared.session.then((session) => session.close());
    }, idleCloseMs);
    shared.closing.unref();
  }

  #forget(key: string, shared: Shared): void {
    if (this.#shared.get(key) === shared) this.#shared.delete(key);
  }
}
