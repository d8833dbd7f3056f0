import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { discard, requestSource, type SourceAnswer } from './request-source.ts';
import { ResumeTries } from './resume-tries.ts';
import { checkSha256, tooLarge, type DownloadOptions } from './save-source.ts';
import { contentEncodingOf, identityOf, judgeContinuation, versionOf, type SourceVersion } from './source-answer.ts';
import { SourceRanges, type ByteRange } from './source-ranges.ts';
import { transportFailure } from './transport-failure.ts';

/** Each restart downloads the whole source again. */
const maxRestarts = 3;

/** Large enough to outweigh a request's latency, small enough for all connections to end at about the same time. */
const partBytes = 8 * 1024 ** 2;

/** No further byte of this version of the source can be fetched, and the bytes so far are useless. */
class CannotGoOn extends Error {
  override readonly name = 'CannotGoOn';
}

/**
 * Downloads an `http:` or `https:` source. A broken connection is resumed at its position, or the download starts over.
 */
export async function downloadFromHttp(url: URL, target: string, options: DownloadOptions): Promise<SourceIdentity> {
  const file = await open(target, 'w', 0o600);
  let version: SourceVersion;
  try {
    version = await downloadWhole(url, file, options);
  } finally {
    await file.close();
  }
  await checkSha256(url, target, options);
  return identityOf(version);
}

async function downloadWhole(url: URL, file: FileHandle, options: DownloadOptions): Promise<SourceVersion> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      // A source that changes during the download is read by one connection.
      const connections = restarts === 0 ? options.connections : 1;
      return await new Download(url, file, { ...options, connections }).run();
    } catch (error) {
      if (!(error instanceof CannotGoOn)) throw error;
      if (restarts === maxRestarts) {
        const shown = redactUrlAndFolder(url.href);
        throw new ServiceError(
          'source_unavailable',
          `The source ${shown} could not be fetched in ${restarts + 1} tries: ${error.message}.`,
          { cause: error.cause },
        );
      }
      await delay(500 * 2 ** restarts, undefined, { signal: options.signal });
      await file.truncate(0);
    }
  }
}

/** Range that successive connections fetch, from `next` on. Its end may move closer while it is read. */
interface Stretch {
  next: number;
  readonly end: number;
}

/** Download of one version of a source into a file. */
class Download {
  readonly #url: URL;
  readonly #file: FileHandle;
  readonly #options: DownloadOptions;
  #version: SourceVersion = {
    totalBytes: undefined,
    validator: undefined,
    etag: undefined,
    modified: undefined,
    hasRanges: false,
  };
  #ranges: SourceRanges | undefined;
  #received = 0;

  constructor(url: URL, file: FileHandle, options: DownloadOptions) {
    this.#url = url;
    this.#file = file;
    this.#options = options;
  }

  /** Returns the downloaded version with its size. */
  async run(): Promise<SourceVersion> {
    const answer = await this.#begin();
    const stop = new AbortController();
    const helperSignal = AbortSignal.any([this.#options.signal, stop.signal]);
    const first = this.#firstStretch();
    const helpers = Array.from({ length: this.#shareOut() }, () => this.#help(first, helperSignal));
    try {
      await this.#bring(first, this.#options.signal, answer);
      await Promise.all(helpers);
      await this.#bringRest(first);
      return { ...this.#version, totalBytes: this.#received };
    } finally {
      stop.abort();
      await Promise.allSettled(helpers);
    }
  }

  /** Fetches the ranges that helpers gave back after the first connection had passed them. */
  async #bringRest(first: Stretch): Promise<void> {
    const returned = (): Stretch | undefined => {
      const range = this.#ranges?.takeReturned();
      return range === undefined ? undefined : { next: range.from, end: range.end };
    };
    try {
      if (first.next < first.end && this.#ranges !== undefined) await this.#bring(first, this.#options.signal);
      for (let rest = returned(); rest !== undefined; rest = returned()) await this.#bring(rest, this.#options.signal);
    } catch (error) {
      this.#options.signal.throwIfAborted();
      // The whole source may be available although its ranges are not.
      throw new CannotGoOn('its server announces byte ranges but does not serve them', { cause: error });
    }
    const { totalBytes = this.#received } = this.#version;
    if (this.#received !== totalBytes) throw new CannotGoOn('some of its bytes are missing');
  }

  async #begin(): Promise<SourceAnswer> {
    const { maxBytes } = this.#options;
    const answer = await requestSource(this.#url, this.#options);
    try {
      const encoding = contentEncodingOf(answer.headers);
      if (encoding !== undefined) {
        throw new ServiceError(
          'undecodable_source',
          `The source ${redactUrlAndFolder(answer.url.href)} was sent with content-encoding ${encoding.slice(0, 40)}, although the request asked for the plain file.`,
        );
      }
      this.#version = versionOf(answer.headers);
      const { totalBytes } = this.#version;
      if (totalBytes !== undefined && totalBytes > maxBytes) throw tooLarge(answer.url, maxBytes);
      if (totalBytes !== undefined) await this.#options.room.claim(totalBytes);
      return answer;
    } catch (error) {
      discard(answer.body);
      throw error;
    }
  }

  #firstStretch(): Stretch {
    const endOf = (): number => this.#ranges?.end ?? this.#version.totalBytes ?? Infinity;
    return {
      next: 0,
      get end() {
        return endOf();
      },
    };
  }

  /** Returns how many connections help the first. */
  #shareOut(): number {
    const { totalBytes = 0, validator, hasRanges } = this.#version;
    if (!hasRanges || validator === undefined) return 0;
    const worthwhile = Math.floor(totalBytes / partBytes) - 1;
    const helpers = Math.max(0, Math.min(this.#options.connections - 1, worthwhile));
    if (helpers > 0) this.#ranges = new SourceRanges(totalBytes, partBytes);
    return helpers;
  }

  /** Errors here are ignored; the first connection fetches the range. */
  async #help(first: Stretch, signal: AbortSignal): Promise<void> {
    for (;;) {
      const range: ByteRange | undefined = this.#ranges?.claim(first.next);
      if (range === undefined) return;
      const stretch = { next: range.from, end: range.end };
      try {
        await this.#bring(stretch, signal);
      } catch {
        this.#ranges?.giveBack({ from: stretch.next, end: stretch.end });
        return;
      }
    }
  }

  /** Fetches all bytes of a range, over as many connections as necessary. */
  async #bring(stretch: Stretch, signal: AbortSignal, begun?: SourceAnswer): Promise<void> {
    const tries = new ResumeTries();
    let answer = begun;
    for (;;) {
      try {
        // For an unknown length only the end of the answer marks the end.
        const isWhole = await this.#save(stretch, answer ?? (await this.#continue(stretch, signal)), signal);
        if (isWhole || stretch.next >= stretch.end) return;
      } catch (error) {
        await this.#waitForNextTry(error, tries, stretch, signal);
      }
      answer = undefined;
    }
  }

  /** Rethrows an error that a retry cannot fix. */
  async #waitForNextTry(error: unknown, tries: ResumeTries, { next }: Stretch, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const failure = transientFailure(error);
    // A source that is silent at the beginning would be silent again.
    if (failure === undefined || (next === 0 && failure === 'stalled')) throw error;
    if (this.#version.validator === undefined) {
      throw new CannotGoOn('the connection broke off, and its server does not say how to go on', { cause: error });
    }
    const delayMs = tries.next(this.#received);
    if (delayMs === undefined) throw error;
    await delay(delayMs, undefined, { signal });
  }

  async #continue({ next, end }: Stretch, signal: AbortSignal): Promise<SourceAnswer & { end: number }> {
    const { validator = '' } = this.#version;
    const last = Number.isFinite(end) ? end - 1 : '';
    const range = { range: `bytes=${next}-${last}`, 'if-range': validator };
    const answer = await requestSource(this.#url, { ...this.#options, signal }, range);
    const judged = judgeContinuation(answer.statusCode, answer.headers, next, this.#version);
    if (judged.kind === 'cannot') {
      discard(answer.body);
      throw new CannotGoOn(judged.reason);
    }
    this.#version.totalBytes ??= judged.range.totalBytes;
    return { ...answer, end: judged.range.end };
  }

  /** Returns true at the end of a source of unknown length. */
  async #save(stretch: Stretch, answer: SourceAnswer & { end?: number }, signal: AbortSignal): Promise<boolean> {
    const { maxBytes, room, onProgress } = this.#options;
    const { totalBytes } = this.#version;
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
        this.#received += bytes.length;
        onProgress(this.#received, totalBytes);
        // An answer that is wanted to its end is read to its end, so that its connection serves the next request.
        const isMore = bytes.length < part.length || answerEnd > stretch.end;
        if (isMore && stretch.next >= stretch.end) return false;
      }
    } finally {
      discard(answer.body);
    }
    if (this.#version.totalBytes === undefined) return true;
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
