import { open, type FileHandle } from 'node:fs/promises';

/** Far more than a frame or a page, far less than a file. */
const windowBytes = 1024 * 1024;

/** A file of any size, read in order (mostly) through a window of one mebibyte. */
export class WindowedFile {
  readonly size: number;
  readonly #handle: FileHandle;
  #window = Buffer.alloc(0);
  #windowAt = 0;

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  static async open(path: string): Promise<WindowedFile> {
    const handle = await open(path);
    return new WindowedFile(handle, (await handle.stat()).size);
  }

  /** The bytes at `position`; fewer at the end of the file. A view: who changes them copies them first. */
  async read(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.size - position));
    const from = position - this.#windowAt;
    if (from < 0 || from + wanted > this.#window.length) {
      const { buffer, bytesRead } = await this.#handle.read(
        Buffer.allocUnsafe(Math.max(windowBytes, wanted)),
        0,
        undefined,
        position,
      );
      this.#window = buffer.subarray(0, bytesRead);
      this.#windowAt = position;
      return this.#window.subarray(0, wanted);
    }
    return this.#window.subarray(from, from + wanted);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
