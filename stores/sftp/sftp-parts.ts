import { StorageError } from '../store-error.ts';
import type { SftpSession } from './sftp-session.ts';

/** Every server accepts requests of this size. */
const readBytes = 32 * 1024;
/** A request of this size and its header fit in one packet of SSH, which has 32 KiB. */
const writtenBytes = 32 * 1024 - 512;

/** Reads the bytes from `start` to before `end`, with several requests at a time. */
export async function* readParts(
  session: SftpSession,
  handle: Buffer,
  start: number,
  end: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const pending: Promise<Buffer>[] = [];
  let next = start;
  session.beginTransfer();
  try {
    while (next < end || pending.length > 0) {
      if (pending.length === 0) await session.untilRoom();
      while (next < end && pending.length < session.share && session.hasRoom) {
        const part = readPart(session, handle, next, Math.min(readBytes, end - next), signal);
        // A failure counts when its turn comes.
        part.catch(() => undefined);
        pending.push(part);
        next += readBytes;
      }
      const part = await pending.shift();
      if (part !== undefined) yield part;
    }
  } finally {
    session.endTransfer();
    // The file must not be closed under its requests.
    await Promise.allSettled(pending);
  }
}

/** A server may answer with fewer bytes than it is asked for. */
async function readPart(
  session: SftpSession,
  handle: Buffer,
  position: number,
  length: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const part = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const from = filled;
    const read = await session.ask<number>(signal, (sftp, done) =>
      sftp.read(handle, part, from, length - from, position + from, done),
    );
    if (read === 0) throw new StorageError('The file became shorter while it was read', true);
    filled += read;
  }
  return part;
}

/** Writes the parts one after another from `start` on, with several requests at a time. */
export async function writeParts(
  session: SftpSession,
  handle: Buffer,
  start: number,
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  let position = start;
  let failure: { error: unknown } | undefined;
  session.beginTransfer();
  try {
    for await (const content of fullParts(parts)) {
      while (pending.size >= session.share) await Promise.race(pending);
      await session.untilRoom();
      if (failure !== undefined) throw failure.error;
      const at = position;
      position += content.length;
      const writing = session
        .ask<void>(signal, (sftp, done) =>
          sftp.write(handle, content, 0, content.length, at, (error) => done(error, undefined)),
        )
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => pending.delete(writing));
      pending.add(writing);
    }
  } finally {
    session.endTransfer();
    await Promise.all(pending);
  }
  if (failure !== undefined) throw failure.error;
}

/** ssh2 sends a larger part as requests one after another, and smaller ones would need more requests. */
async function* fullParts(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let [part, filled] = [Buffer.allocUnsafe(writtenBytes), 0];
  for await (const bytes of parts) {
    for (let from = 0; from < bytes.length;) {
      const copied = bytes.subarray(from, from + writtenBytes - filled);
      part.set(copied, filled);
      filled += copied.length;
      from += copied.length;
      if (filled < writtenBytes) continue;
      yield part;
      // ssh2 may still need the bytes of the part before.
      [part, filled] = [Buffer.allocUnsafe(writtenBytes), 0];
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
