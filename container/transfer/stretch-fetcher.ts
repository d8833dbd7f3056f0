import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { discard, requestSource, type SourceAnswer } from './request-source.ts';
import { ResumeTries } from './resume-tries.ts';
import { tooLarge, type DownloadOptions } from './save-source.ts';
import { judgeContinuation, type SourceVersion } from './source-answer.ts';
import { transportFailure } from './transport-failure.ts';

/** The source has no further byte of this version, so the bytes fetched so far are useless. */
export class CannotGoOn extends Error {
  override readonly name = 'CannotGoOn';
}

/** Range that successive connections fetch, from `next` on. Its end may move closer while it is read. */
export interface Stretch {
  next: number;
  readonly end: number;
}

/** Shorter answers to ranges are counted. Without a limit, a server of one byte an answer would get a request per byte. */
const leastAnswerBytes = 4096;
const mostShortAnswers = 100;

const unknownVersion: SourceVersion = {
  totalBytes: undefined,
  validator: undefined,
  etag: undefined,
  modified: undefined,
  hasRanges: false,
};

/** Fetches stretches of one version of a source into a file. A broken connection is resumed at its position. */
export class StretchFetcher {
  version: SourceVersion;
  /** Bytes of all stretches so far. */
  received = 0;
  readonly #url: URL;
  readonly #file: FileHandle;
  readonly #options: DownloadOptions;

  constructor(url: URL, file: FileHandle, options: DownloadOptions, version: SourceVersion = { ...unknownVersion }) {
    this.#url = url;
    this.#file = file;
    this.#options = options;
    this.version = version;
  }

  /** Fetches all bytes of a range, over as many connections as necessary. */
  async bring(stretch: Stretch, signal: AbortSignal, begun?: SourceAnswer): Promise<void> {
    const tries = new ResumeTries();
    let answer = begun;
    let shortAnswers = 0;
    for (;;) {
      const from = stretch.next;
      try {
        // For an unknown length only the end of the answer marks the end.
        const isWhole = await this.#save(stretch, answer ?? (await this.#continue(stretch, signal)), signal);
        if (isWhole || stretch.next >= stretch.end) return;
        if (stretch.next - from < leastAnswerBytes) shortAnswers += 1;
      } catch (error) {
        await this.#waitForNextTry(error, tries, stretch, signal);
      }
      if (shortAnswers > mostShortAnswers) throw new CannotGoOn('its server answers byte ranges with a few bytes each');
      answer = undefined;
    }
  }

  /** Rethrows an error that a retry cannot fix. */
  async #waitForNextTry(error: unknown, tries: ResumeTries, { next }: Stretch, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const failure = transientFailure(error);
    // A source that is silent at the beginning would be silent again.
    if (failure === undefined || (next === 0 && failure === 'stalled')) throw error;
    if (this.version.validator === undefined) {
      throw new CannotGoOn('the connection was lost, and its server does not support resuming', { cause: error });
    }
    const delayMs = tries.next(this.received);
    if (delayMs === undefined) throw error;
    await delay(delayMs, undefined, { signal });
  }

  async #continue({ next, end }: Stretch, signal: AbortSignal): Promise<SourceAnswer & { end: number }> {
    const { validator = '' } = this.version;
    const last = Number.isFinite(end) ? end - 1 : '';
    const range = { range: `bytes=${next}-${last}`, 'if-range': validator };
    const answer = await requestSource(this.#url, { ...this.#options, signal }, range);
    const judged = judgeContinuation(answer.statusCode, answer.headers, next, this.version);
    if (judged.kind === 'cannot') {
      discard(answer.body);
      throw new CannotGoOn(judged.reason);
    }
    this.version.totalBytes ??= judged.range.totalBytes;
    return { ...answer, end: judged.range.end };
  }

  /** Returns true at the end of a source of unknown length. */
  async #save(stretch: Stretch, answer: SourceAnswer & { end?: number }, signal: AbortSignal): Promise<boolean> {
    const { maxBytes, room, onProgress } = this.#options;
    const { totalBytes } = this.version;
    const answerEnd = answer.end ?? totalBytes ?? Infinity;
    // Without a listener the error of a dropped body would end the process.
    answer.body.on('error', () => {});
    try {
      for await (const part of answer.body as AsyncIterable<Buffer>) {
        signal.throwIfAborted();
        const bytes = part.subarray(0, Math.max(0, Math.min(stretch.end, answerEnd) - stretch.next));
        if (stretch.next + bytes.length > maxBytes) throw tooLarge(answer.url, maxBytes);
        if (totalBytes === undefined) await room.grow(stretch.next + bytes.length);
        await this.#write(bytes, stretch.next);
        stretch.next += bytes.length;
        this.received += bytes.length;
        onProgress(this.received, totalBytes);
        // If all of an answer is wanted, it is read to its end, so that its connection serves the next request.
        const isMore = bytes.length < part.length || answerEnd > stretch.end;
        if (isMore && stretch.next >= stretch.end) return false;
      }
    } finally {
      discard(answer.body);
    }
    if (this.version.totalBytes === undefined) return true;
    if (stretch.next < Math.min(stretch.end, answerEnd)) throw endedEarly();
    return false;
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, position + written);
      written += bytesWritten;
    }
  }
}

function endedEarly(): Error {
  return Object.assign(new Error('the answer ended early'), { code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' });
}

/** Kind of an error that a retry may fix, or undefined. */
function transientFailure(error: unknown): 'unavailable' | 'stalled' | undefined {
  if (error instanceof ServiceError) return error.code === 'source_unavailable' ? 'unavailable' : undefined;
  switch (transportFailure(error)?.kind) {
    case 'stalled':
      return 'stalled';
    case 'unreachable':
      return 'unavailable';
    case 'address_not_allowed':
    case 'untrusted':
    case undefined:
      return undefined;
  }
}
