import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import type { Stats } from 'ssh2';
import { serverOfUrl } from '../../contract/relayed-url.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import type { AllowedAddresses } from '../../network/address-guard.ts';
import type { Logins } from '../logins/logins.ts';
import { RangeOutsideFile, StorageError, UnusableFile } from '../store-error.ts';
import type { RelayedContent, RelayedStore, WantedRange } from '../store.ts';
import { readParts, writeParts } from './sftp-parts.ts';
import type { Done, SftpSession } from './sftp-session.ts';
import { SftpSessions } from './sftp-sessions.ts';

/** https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02, section 7 */
const statusCodes = { noSuchFile: 2, permissionDenied: 3, unsupported: 8 } as const;

/** A healthy server removes a file at once. */
const cleaningTimeoutMs = 10_000;

/** SFTP version 3, as OpenSSH speaks it. */
export function openSftpStore(logins: Logins, allowed: AllowedAddresses): RelayedStore {
  const sessions = new SftpSessions(logins, allowed);

  const withSession = async <Result>(
    url: string,
    work: (session: SftpSession, path: string) => Promise<Result>,
  ): Promise<Result> => {
    const { session, path, release } = await sessions.take(url);
    try {
      return await work(session, path);
    } catch (error) {
      throw asStorageError(url, error);
    } finally {
      release();
    }
  };

  /** Removes an unfinished upload, even if its caller has left and its connection was lost. */
  const discard = async (url: string, aside: string): Promise<void> => {
    await withSession(url, async (session) => {
      const soon = AbortSignal.timeout(cleaningTimeoutMs);
      await session.ask<void>(soon, (sftp, done) => sftp.unlink(aside, voidly(done)));
    });
  };

  return {
    kind: 'relayed',

    async requireLogin(url) {
      await logins.sftp(url);
    },

    async check(url) {
      await withSession(url, async () => {});
    },

    async read(url, signal, wanted) {
      const { session, path, release } = await sessions.take(url);
      let handle: Buffer | undefined;
      let isEnded = false;
      const end = (): void => {
        if (isEnded) return;
        isEnded = true;
        signal.removeEventListener('abort', end);
        // A lost connection closes its files.
        if (handle !== undefined) closeFile(session, handle).catch(() => undefined);
        release();
      };
      // The caller may leave before the first part.
      signal.addEventListener('abort', end);
      try {
        handle = await session.ask<Buffer>(signal, (sftp, done) => sftp.open(path, 'r', done));
        const opened = handle;
        const stats = await session.ask<Stats>(signal, (sftp, done) => sftp.fstat(opened, done));
        if (!stats.isFile()) throw new UnusableFile(`${serverOfUrl(url)} has no file with this name`);
        const { size, mtime } = stats;
        const etag = `"${size}-${mtime}"`;
        const range = rangeIn(size, etag, wanted);
        const { start, end: last } = range ?? { start: 0, end: size - 1 };
        const parts = readParts(session, handle, start, last + 1, signal);
        return {
          size,
          range,
          content: endingWith(url, parts, end),
          etag,
          modified: new Date(mtime * 1000).toUTCString(),
        };
      } catch (error) {
        end();
        throw asStorageError(url, error);
      }
    },

    async write(url, { size, parts }, signal) {
      await withSession(url, async (session, path) => {
        const aside = nameAside(path, randomUUID());
        try {
          const handle = await createFile(session, aside, signal);
          const written = await writeAndClose(session, handle, 0, parts, signal);
          if (written !== size) throw new StorageError(`The upload ended after ${written} of ${size} bytes`, true);
          await replaceFile(session, aside, path, signal);
        } catch (error) {
          await discard(url, aside).catch(() => undefined);
          throw error;
        }
      });
    },

    async remove(url, signal) {
      await withSession(url, async (session, path) => {
        await session.ask<void>(signal, (sftp, done) => sftp.unlink(path, voidly(done))).catch(ignoreMissing);
      });
    },

    parts: {
      async begin(url, uploadId, signal) {
        await withSession(url, async (session, path) => {
          await closeFile(session, await createFile(session, nameAside(path, uploadId), signal));
        });
      },

      async write(url, uploadId, start, { parts }, signal) {
        await withSession(url, async (session, path) => {
          const aside = nameAside(path, uploadId);
          // A part that created a removed file again would leave holes in the place of the parts before it.
          const handle = await session.ask<Buffer>(signal, (sftp, done) => sftp.open(aside, 'r+', done));
          await writeAndClose(session, handle, start, parts, signal);
        });
      },

      async complete(url, uploadId, size, signal) {
        await withSession(url, async (session, path) => {
          const aside = nameAside(path, uploadId);
          const { size: written } = await session.ask<Stats>(signal, (sftp, done) => sftp.stat(aside, done));
          if (written !== size) throw new StorageError(`The upload has ${written} of ${size} bytes`, true);
          await replaceFile(session, aside, path, signal);
        });
      },

      async abort(url, uploadId, signal) {
        await withSession(url, async (session, path) => {
          const aside = nameAside(path, uploadId);
          await session.ask<void>(signal, (sftp, done) => sftp.unlink(aside, voidly(done))).catch(ignoreMissing);
        });
      },
    },
  };
}

/** Temporary name of an upload. The name of the file itself may be as long as the server allows. */
function nameAside(path: string, uploadId: string): string {
  return posix.join(posix.dirname(path), `.holdfast-${uploadId}`);
}

/** A callback of ssh2 for requests without a result, whose type has only an error. */
function voidly(done: Done<void>): (error?: Error | null) => void {
  return (error) => done(error, undefined);
}

async function closeFile(session: SftpSession, handle: Buffer): Promise<void> {
  await session.ask<void>(AbortSignal.timeout(cleaningTimeoutMs), (sftp, done) => sftp.close(handle, voidly(done)));
}

/** Returns the size of the file at the server. */
async function writeAndClose(
  session: SftpSession,
  handle: Buffer,
  start: number,
  parts: RelayedContent['parts'],
  signal: AbortSignal,
): Promise<number> {
  try {
    await writeParts(session, handle, start, parts, signal);
    const { size } = await session.ask<Stats>(signal, (sftp, done) => sftp.fstat(handle, done));
    return size;
  } finally {
    await closeFile(session, handle);
  }
}

/** Creates the file, after the folders if they are missing. */
async function createFile(session: SftpSession, path: string, signal: AbortSignal): Promise<Buffer> {
  const create = async () => await session.ask<Buffer>(signal, (sftp, done) => sftp.open(path, 'wx', done));
  try {
    return await create();
  } catch (error) {
    if (codeOf(error) !== statusCodes.noSuchFile) throw error;
  }
  await makeFolder(session, posix.dirname(path), signal);
  return await create();
}

/** Another upload may create the same folder. Other failures show when the file is created. */
async function makeFolder(session: SftpSession, path: string, signal: AbortSignal): Promise<void> {
  const make = async () => await session.ask<void>(signal, (sftp, done) => sftp.mkdir(path, voidly(done)));
  try {
    await make();
  } catch (error) {
    if (codeOf(error) !== statusCodes.noSuchFile || path === '/') return;
    await makeFolder(session, posix.dirname(path), signal);
    await make().catch(() => undefined);
  }
}

/** Renames a file over another. A server without OpenSSH's extension refuses that, so the other file is removed first. */
async function replaceFile(session: SftpSession, from: string, to: string, signal: AbortSignal): Promise<void> {
  try {
    return await session.ask<void>(signal, (sftp, done) => sftp.ext_openssh_rename(from, to, voidly(done)));
  } catch (error) {
    const isUnknown = codeOf(error) === statusCodes.unsupported || /not support/.test(String(error));
    if (!isUnknown) throw error;
  }
  signal.throwIfAborted();
  // A caller who leaves between the requests would lose both files.
  const soon = AbortSignal.timeout(cleaningTimeoutMs);
  // If an earlier request has renamed the file already, `to` is the new file.
  await session.ask<Stats>(soon, (sftp, done) => sftp.stat(from, done));
  await session.ask<void>(soon, (sftp, done) => sftp.unlink(to, voidly(done))).catch(ignoreMissing);
  await session.ask<void>(soon, (sftp, done) => sftp.rename(from, to, voidly(done)));
}

function rangeIn(
  size: number,
  etag: string,
  wanted: WantedRange | undefined,
): { start: number; end: number } | undefined {
  if (wanted === undefined || (wanted.version !== undefined && wanted.version !== etag)) return undefined;
  const { start, end = size - 1 } = wanted;
  if (start >= size) throw new RangeOutsideFile(size);
  return { start, end: Math.min(end, size - 1) };
}

/** A caller who stops early also ends the content. */
async function* endingWith(url: string, parts: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* parts;
  } catch (error) {
    throw asStorageError(url, error);
  } finally {
    end();
  }
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== statusCodes.noSuchFile) throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function asStorageError(url: string, error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof StorageError || typeof code !== 'number') return error;
  const server = serverOfUrl(url);
  if (code === statusCodes.noSuchFile) return new UnusableFile(`${server} has no file with this name`);
  if (code === statusCodes.permissionDenied) return new StorageError(`${server} denies access to the file`, false);
  const reason = messageOf(error);
  // OpenSSH reports a full disk and most other problems by one code.
  return new StorageError(`${server} answered: ${reason}`, true, { cause: error });
}
