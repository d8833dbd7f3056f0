import { StorageError } from '../store-error.ts';
import type { SftpSession } from './sftp-session.ts';

/** Every server accepts requests of this size. */
const partBytes = 32 * 1024;
/** 2 MiB at a time fill a connection of 500 Mbit/s with a round trip of 30 ms. */
const requestsAtOnce = 64;

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
  try {
    while (next < end || pending.length > 0) {
      while (next < end && pending.length < requestsAtOnce) {
        const part = readPart(session, handle, next, Math.min(partBytes, end - next), signal);
        // A failure counts when its turn comes.
        part.catch(() => undefined);
        pending.push(part);
        next += partBytes;
      }
      const part = await pending.shift();
      if (part !== undefined) yield part;
    }
  } finally {
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
  try {
    for await (const content of smallParts(parts)) {
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
      if (pending.size >= requestsAtOnce) await Promise.race(pending);
      if (failure !== undefined) throw failure.error;
    }
  } finally {
    await Promise.all(pending);
  }
  if (failure !== undefined) throw failure.error;
}

/** ssh2 sends a large part as requests one after another, and answers after the last. */
async function* smallParts(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of parts) {
    for (let from = 0; from < byteLength; from += partBytes) {
      yield Buffer.from(buffer, byteOffset + from, Math.min(partBytes, byteLength - from));
    }
  }
}
