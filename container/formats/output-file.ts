import { open, type FileHandle } from 'node:fs/promises';

/** Small writes are gathered up to this. */
const gatheredBytes = 1024 * 1024;

/** A file written in order, with places to come back to. */
export class OutputFile {
  readonly #handle: FileHandle;
  readonly #gathered = Buffer.allocUnsafe(gatheredBytes);
  #gatheredSize = 0;
  #written = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(path: string): Promise<OutputFile> {
    return new OutputFile(await open(path, 'w', 0o600));
  }

  async append(bytes: Buffer): Promise<void> {
    if (this.#gatheredSize + bytes.length > gatheredBytes) await this.#flush();
    if (bytes.length > gatheredBytes) {
      await this.#writeAll(bytes, this.#written);
      this.#written += bytes.length;
      return;
    }
    bytes.copy(this.#gathered, this.#gatheredSize);
    this.#gatheredSize += bytes.length;
  }

  async overwrite(position: number, bytes: Buffer): Promise<void> {
    await this.#flush();
    await this.#writeAll(bytes, position);
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#handle.close();
  }

  /** After a failure: the content no longer matters. */
  async abandon(): Promise<void> {
    await this.#handle.close();
  }

  async #flush(): Promise<void> {
    await this.#writeAll(this.#gathered.subarray(0, this.#gatheredSize), this.#written);
    this.#written += this.#gatheredSize;
    this.#gatheredSize = 0;
  }

  async #writeAll(bytes: Buffer, position: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      done += (await this.#handle.write(bytes, done, undefined, position + done)).bytesWritten;
    }
  }
}
