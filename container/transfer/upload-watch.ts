import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';

export interface UploadLimits {
  /** Longest time in which a store takes no further byte. */
  stallTimeoutMs: number;
  /** Longest time until the answer after the last byte: some stores check or copy the whole file first. */
  answerTimeoutMs: number;
}

/** Interval of progress reports while a store that has every byte is waited for. */
const aliveIntervalMs = 5_000;

/** Ends a stuck upload. Its two waits have separate limits, and undici has only one timer. */
export class UploadWatch {
  readonly #abort = new AbortController();
  readonly #url: URL;
  readonly #limits: UploadLimits;
  #timer: NodeJS.Timeout | undefined;
  #alive: NodeJS.Timeout | undefined;

  constructor(url: URL, limits: UploadLimits) {
    this.#url = url;
    this.#limits = limits;
    this.noteSent();
  }

  /** Aborted with the error as its reason when a limit has passed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  noteSent(): void {
    this.#failAfter(this.#limits.stallTimeoutMs, 'stopped accepting');
  }

  noteAllSent(onAlive: () => void): void {
    this.#failAfter(
      this.#limits.answerTimeoutMs,
      `took longer than ${this.#limits.answerTimeoutMs / 1000} s to answer for`,
    );
    this.#alive = setInterval(onAlive, aliveIntervalMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#alive);
  }

  #failAfter(ms: number, what: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const sentence = `The store ${what} ${redactUrlAndFolder(this.#url.href)}.`;
      this.#abort.abort(new ServiceError('upload_failed', sentence));
    }, ms);
  }
}
