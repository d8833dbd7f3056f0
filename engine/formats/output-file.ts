import { open, type FileHandle } from 'node:fs/promises';

/** Small writes are buffered up to this size. */
const bufferBytes = 1024 * 1024;

/** A file that is written in order. Written bytes can be overwritten. */
export class OutputFile {
  readonly #handle: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #bufferedSize = 0;
  #written = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** `writeContent` writes the whole file. If it fails, the incomplete file is closed and the caller removes it. */
  static async write(path: string, writeContent: (output: OutputFile) => Promise<void>): Promise<void> {
    const handle = await open(path, 'w', 0o600);
    try {
      const output = new OutputFile(handle);
      await writeContent(output);
      await output.#flush();
    } finally {
      await handle.close();
    }
  }

  async append(bytes: Buffer): Promise<void> {
    if (this.#bufferedSize + bytes.length > bufferBytes) await this.#flush();
    if (bytes.length > bufferBytes) {
      await this.#writeAll(bytes, this.#written);
      this.#written += bytes.length;
      return;
    }
    bytes.copy(this.#buffer, this.#bufferedSize);
    this.#bufferedSize += bytes.length;
  }

  async overwrite(position: number, bytes: Buffer): Promise<void> {
    await this.#flush();
    await this.#writeAll(bytes, position);
  }

  async #flush(): Promise<void> {
    await this.#writeAll(this.#buffer.subarray(0, this.#bufferedSize), this.#written);
    this.#written += this.#bufferedSize;
    this.#bufferedSize = 0;
  }

  async #writeAll(bytes: Buffer, position: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      done += (await this.#handle.write(bytes, done, undefined, position + done)).bytesWritten;
    }
  }
}
