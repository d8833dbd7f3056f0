import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { Client, type ConnectConfig, type SFTPWrapper } from 'ssh2';
import { type RelayedPlace, serverOf } from '../../contract/relayed-url.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { AddressNotAllowedError, type AllowedAddresses } from '../../network/address-guard.ts';
import { guardedConnector } from '../../network/guarded-connector.ts';
import type { SftpLogin } from '../logins/parse-logins.ts';
import { LoginFailed, StorageError } from '../store-error.ts';

/** ssh2 closes the connection after three of these without an answer. */
const keepAliveIntervalMs = 10_000;

/** A server may keep its connection alive, and still be stuck. */
export interface SftpLimits {
  /** Limit of the time from the first byte of the handshake until SFTP is open. */
  openMs: number;
  /** Time without an answer while requests wait for one. */
  silenceMs: number;
}

/**
 * Requests that wait for an answer while files are read or written: 2 MiB fill a connection of 500 Mbit/s with a round
 * trip of 30 ms. OpenSSH also accepts only 2 MiB of a connection at a time.
 */
export const requestsAtOnce = 64;

const usualLimits: SftpLimits = { openMs: 20_000, silenceMs: 60_000 };

/** Answer of a request: ssh2 gives either an error or a result. */
export type Done<Result> = (error: Error | null | undefined, result: Result) => void;

/** A login at one server, over one connection. */
export class SftpSession {
  readonly #client: Client;
  readonly #sftp: SFTPWrapper;
  readonly #socket: Socket;
  /** Rejects the requests that wait for an answer. */
  readonly #waiting = new Set<(error: Error) => void>();
  /** Number of files that are read or written. */
  #transfers = 0;
  /** Transfers that wait for an answer to any request. */
  #inLine: (() => void)[] = [];
  readonly #silenceMs: number;
  /** Runs while requests wait for an answer. */
  #silence: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(client: Client, sftp: SFTPWrapper, socket: Socket, { silenceMs }: SftpLimits) {
    this.#client = client;
    this.#sftp = sftp;
    this.#socket = socket;
    this.#silenceMs = silenceMs;
    // Each request reports its own errors.
    sftp.on('error', () => undefined);
    client.once('close', () => this.#lose());
    // The server's process for SFTP can end alone. Later requests would never be answered.
    sftp.once('end', () => this.#lose());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  beginTransfer(): void {
    this.#transfers += 1;
  }

  endTransfer(): void {
    this.#transfers -= 1;
  }

  /** Requests of one transfer that may wait for an answer: a transfer that has begun earlier must not take all. */
  get share(): number {
    return Math.max(1, Math.floor(requestsAtOnce / this.#transfers));
  }

  /** Whether the connection has room for another request of a transfer. */
  get hasRoom(): boolean {
    return this.#waiting.size < requestsAtOnce;
  }

  async untilRoom(): Promise<void> {
    while (!this.hasRoom) await new Promise<void>((resolve) => this.#inLine.push(resolve));
  }

  /** Sends one request. ssh2 itself never answers a request on a closed connection. */
  async ask<Result>(signal: AbortSignal, send: (sftp: SFTPWrapper, done: Done<Result>) => void): Promise<Result> {
    signal.throwIfAborted();
    if (!this.#isOpen) throw lostConnection();
    let end = (): void => {};
    try {
      return await new Promise<Result>((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', onAbort, { once: true });
        this.#waiting.add(reject);
        this.#silence ??= setTimeout(() => this.#lose(), this.#silenceMs);
        end = () => {
          signal.removeEventListener('abort', onAbort);
          this.#waiting.delete(reject);
          if (this.#waiting.size === 0) this.#endSilence();
          for (const goOn of this.#inLine.splice(0)) goOn();
        };
        // ssh2 writes each packet in three pieces, which would be three packets of TCP.
        this.#socket.cork();
        process.nextTick(() => this.#socket.uncork());
        send(this.#sftp, (error, result) => {
          this.#silence?.refresh();
          if (!error) return resolve(result);
          // The server's own errors have a code.
          reject('code' in error ? error : lostConnection());
        });
      });
    } finally {
      end();
    }
  }

  close(): void {
    this.#client.end();
  }

  #lose(): void {
    this.#isOpen = false;
    this.#endSilence();
    for (const reject of this.#waiting) reject(lostConnection());
    this.#client.destroy();
  }

  #endSilence(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }
}

function lostConnection(): StorageError {
  return new StorageError('The connection to the SFTP server was lost', true);
}

/** Connects, checks the server's key, and logs in. */
export async function openSftpSession(
  place: RelayedPlace,
  login: SftpLogin,
  allowed: AllowedAddresses,
  limits = usualLimits,
): Promise<SftpSession> {
  const server = serverOf(place);
  const credentials = await credentialsOf(server, login);
  const socket = await connectTo(place, allowed);
  const client = new Client();
  let unknownKey: string | undefined;
  let isLate = false;
  // ssh2's own limit ends with the login. Everybody waits for the shared session.
  const limit = setTimeout(() => {
    isLate = true;
    socket.destroy();
  }, limits.openMs);
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve);
      client.once('close', () => reject(new Error('the server closed the connection')));
      // Later errors also end the requests that they concern.
      client.on('error', reject);
      client.connect({
        sock: socket,
        username: login.user,
        ...credentials,
        readyTimeout: 0,
        keepaliveInterval: keepAliveIntervalMs,
        hostVerifier: (key: Buffer) => {
          const fingerprint = fingerprintOf(key);
          if (login.hostKeys.includes(fingerprint)) return true;
          unknownKey = fingerprint;
          return false;
        },
      });
    });
    const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
      client.sftp((error, wrapper) => (error === undefined ? resolve(wrapper) : reject(error)));
    });
    return new SftpSession(client, sftp, socket, limits);
  } catch (error) {
    // ssh2 leaves the socket open if it cannot begin the login.
    socket.destroy();
    if (unknownKey !== undefined) {
      throw new LoginFailed(
        `The host key of ${server} is not known: its fingerprint is ${unknownKey}. If the server's operator confirms it, add it to hostKeys in STORE_LOGINS_FILE`,
      );
    }
    throw loginError(server, isLate ? new Error('it is stuck') : error);
  } finally {
    clearTimeout(limit);
  }
}

type Credentials = Pick<ConnectConfig, 'password' | 'privateKey' | 'passphrase'>;

async function credentialsOf(server: string, login: SftpLogin): Promise<Credentials> {
  const { password, privateKeyFile, passphrase } = login;
  if (privateKeyFile === undefined) return password === undefined ? {} : { password };
  const privateKey = await readKey(privateKeyFile).catch(() => {
    throw new LoginFailed(`The privateKeyFile of ${server} in STORE_LOGINS_FILE cannot be read`);
  });
  return passphrase === undefined ? { privateKey } : { privateKey, passphrase };
}

/** A pipe or a device would hold up all who wait for the session. */
async function readKey(path: string): Promise<Buffer> {
  if (!(await stat(path)).isFile()) throw new Error('it is not a file');
  return await readFile(path);
}

async function connectTo({ host, port, ...place }: RelayedPlace, allowed: AllowedAddresses): Promise<Socket> {
  const server = serverOf({ host, port, ...place });
  const connect = guardedConnector(allowed);
  return await new Promise((resolve, reject) => {
    connect({ hostname: host, port: String(port), protocol: 'http:' }, (error, socket) => {
      // Requests are small and wait for one another.
      if (socket !== null) return resolve(socket.setNoDelay(true));
      if (error instanceof AddressNotAllowedError) {
        return reject(new LoginFailed(`${server} is refused: ${error.message}`));
      }
      const errno = errnoOf(error);
      const reason = errno === undefined ? '' : ` (${errno})`;
      reject(new StorageError(`${server} cannot be reached${reason}`, true, { cause: error }));
    });
  });
}

/** Fingerprint in the form that `ssh-keygen -l` prints. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** ssh2 sets `level` on errors of a login, and throws others for a key that it cannot read. */
function loginError(server: string, error: unknown): StorageError {
  const level = error instanceof Error && 'level' in error ? error.level : undefined;
  if (level === 'client-authentication') {
    return new LoginFailed(`${server} refuses the login of STORE_LOGINS_FILE`);
  }
  if (error instanceof Error && /privateKey|passphrase/i.test(error.message)) {
    return new LoginFailed(
      `The privateKeyFile of ${server} in STORE_LOGINS_FILE is not a private key, or needs another passphrase`,
    );
  }
  const reason = error instanceof Error ? `: ${error.message}` : '';
  return new StorageError(`${server} did not finish the login${reason}`, true, { cause: error });
}
