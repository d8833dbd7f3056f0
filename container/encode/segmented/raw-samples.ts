import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** How often a segment that waits for its samples looks how far the decoder is. Milliseconds. */
const lookIntervalMs = 50;

/** The file of raw samples while the decoder writes it. */
export class GrowingFile {
  readonly path: string;
  #isWhole = false;

  constructor(path: string) {
    this.path = path;
  }

  /** The decoder has ended well. */
  close(): void {
    this.#isWhole = true;
  }

  /** Waits until the first `bytes` are there, or all that there ever will be; undefined: all. */
  async untilWritten(bytes: number | undefined, signal: AbortSignal): Promise<void> {
    const isWritten = async (): Promise<boolean> =>
      this.#isWhole || (bytes !== undefined && (await this.#size()) >= bytes);
    while (!(await isWritten())) await delay(lookIntervalMs, undefined, { signal });
  }

  async #size(): Promise<number> {
    // Not there before the decoder has begun.
    return (await stat(this.path).catch(() => undefined))?.size ?? 0;
  }
}
