import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export interface ZippedFile {
  /** Relative path in the zip, such as `v720/main.m3u8`. */
  name: string;
  bytes: number;
  /** Called when the zip reaches the file. The signal ends the stream. */
  open(signal: AbortSignal): Promise<Readable>;
}

/** A zip of stored files without compression, because media does not get smaller. It is made while it is sent. */
export class Zip {
  /** Exact length of the zip. */
  readonly bytes: number;
  readonly #zip = new ZipFile();
  readonly #sending = Promise.withResolvers<AbortSignal>();

  /** Throws for names that lead out of the folder in which a zip is unpacked. */
  constructor(files: readonly ZippedFile[], mtime: Date) {
    for (const { name, bytes, open } of files) {
      this.#zip.addReadStreamLazy(name, { compress: false, size: bytes, mtime }, (take) => {
        void this.#open(open, (content) => take(undefined, content));
      });
    }
    // The type declarations lack the argument of the callback.
    let total: unknown;
    this.#zip.end(undefined, (...sizes: unknown[]) => ([total] = sizes));
    this.bytes = Number(total);
  }

  /** Fails, and destroys `to`, if a file cannot be read or has another length. Leaves no file open. */
  async send(to: Writable): Promise<void> {
    const stop = new AbortController();
    const failed = new Promise<never>((_, reject) => this.#zip.on('error', reject));
    try {
      this.#sending.resolve(stop.signal);
      await Promise.race([pipeline(this.#zip.outputStream, to, { signal: stop.signal }), failed]);
    } finally {
      stop.abort();
    }
  }

  async #open(open: ZippedFile['open'], take: (content: Readable) => void): Promise<void> {
    try {
      const content = await open(await this.#sending.promise);
      content.on('error', (error) => this.#zip.emit('error', error));
      take(content);
    } catch (error) {
      this.#zip.emit('error', error);
    }
  }
}
