import { open, type FileHandle } from 'node:fs/promises';

/** Far more than a frame or a page, far less than a file. */
const windowBytes = 1024 * 1024;

/** A file of any size, read in order (mostly) through a window of one mebibyte. */
export class WindowedFile {
  readonly size: number;
  readonly #handle: FileHandle;
  /** One for the whole file: garbage of this size would lie about for long. */
  readonly #buffer = Buffer.allocUnsafe(windowBytes);
  #windowAt = 0;
  #windowSize = 0;

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  static async open(path: string): Promise<WindowedFile> {
    const handle = await open(path);
    return new WindowedFile(handle, (await handle.stat()).size);
  }

  /** The bytes at `position`; fewer at the end of the file. A view until the next read: who keeps them copies them. */
  async read(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.size - position));
    if (wanted > windowBytes) return await this.#readInto(Buffer.allocUnsafe(wanted), position);
    const from = position - this.#windowAt;
    if (from >= 0 && from + wanted <= this.#windowSize) return this.#buffer.subarray(from, from + wanted);
    this.#windowSize = (await this.#readInto(this.#buffer, position)).length;
    this.#windowAt = position;
    return this.#buffer.subarray(0, Math.min(wanted, this.#windowSize));
  }

  async #readInto(buffer: Buffer, position: number): Promise<Buffer> {
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, position);
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
