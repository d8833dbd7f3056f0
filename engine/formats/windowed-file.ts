import { open, type FileHandle } from 'node:fs/promises';

/** Much larger than a frame or a page, much smaller than a file. */
const defaultWindowBytes = 1024 * 1024;

/** A file of any size, read mostly in order through a window of bounded size. */
export class WindowedFile {
  readonly size: number;
  readonly #handle: FileHandle;
  /** One buffer serves the whole file. Allocating a new one for each read would burden the garbage collector. */
  readonly #buffer: Buffer;
  #windowAt = 0;
  #windowSize = 0;

  private constructor(handle: FileHandle, size: number, windowBytes: number) {
    this.#handle = handle;
    this.#buffer = Buffer.allocUnsafe(windowBytes);
    this.size = size;
  }

  /** Closes the file when `action` has ended. */
  static async use<Result>(
    path: string,
    action: (file: WindowedFile) => Promise<Result>,
    windowBytes = defaultWindowBytes,
  ): Promise<Result> {
    const file = await WindowedFile.#open(path, windowBytes);
    try {
      return await action(file);
    } finally {
      await file.close();
    }
  }

  /** Serves readers that keep the file open. The file is closed here only if `build` fails. */
  static async openFor<Reader>(path: string, build: (file: WindowedFile) => Promise<Reader>): Promise<Reader> {
    const file = await WindowedFile.#open(path, defaultWindowBytes);
    try {
      return await build(file);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  static async #open(path: string, windowBytes: number): Promise<WindowedFile> {
    const handle = await open(path);
    return new WindowedFile(handle, (await handle.stat()).size, windowBytes);
  }

  /** Returns the bytes at `position`; fewer at the end of the file. They are a view, valid until the next read. */
  async read(position: number, length: number): Promise<Buffer> {
    const count = Math.max(0, Math.min(length, this.size - position));
    // A damaged header may yield a position beyond the range that can be read.
    if (count === 0) return this.#buffer.subarray(0, 0);
    if (count > this.#buffer.length) return await this.#readInto(Buffer.allocUnsafe(count), position);
    const from = position - this.#windowAt;
    if (from >= 0 && from + count <= this.#windowSize) return this.#buffer.subarray(from, from + count);
    this.#windowSize = (await this.#readInto(this.#buffer, position)).length;
    this.#windowAt = position;
    return this.#buffer.subarray(0, Math.min(count, this.#windowSize));
  }

  async #readInto(buffer: Buffer, position: number): Promise<Buffer> {
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, position);
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
