import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { compressionOf } from '../../network/compression.ts';
import { ServiceError } from '../errors.ts';
import { discard, requestSource, type SourceAnswer } from './request-source.ts';
import { checkSha256, tooLarge, type DownloadOptions } from './save-source.ts';
import { identityOf, versionOf, type SourceVersion } from './source-answer.ts';
import { partBytes, SourceRanges } from './source-ranges.ts';
import { CannotGoOn, type Stretch, StretchFetcher } from './stretch-fetcher.ts';

/** Each restart downloads the whole source again. */
const maxRestarts = 3;

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

/** Download of one version of a source into a file. */
class Download {
  readonly #url: URL;
  readonly #options: DownloadOptions;
  readonly #stretches: StretchFetcher;
  #ranges: SourceRanges | undefined;

  constructor(url: URL, file: FileHandle, options: DownloadOptions) {
    this.#url = url;
    this.#options = options;
    this.#stretches = new StretchFetcher(url, file, options);
  }

  /** Returns the downloaded version with its size. */
  async run(): Promise<SourceVersion> {
    const answer = await this.#begin();
    const stop = new AbortController();
    const helperSignal = AbortSignal.any([this.#options.signal, stop.signal]);
    const first = this.#firstStretch();
    const helpers = Array.from({ length: this.#shareOut() }, () => this.#help(first, helperSignal));
    try {
      await this.#stretches.bring(first, this.#options.signal, answer);
      await Promise.all(helpers);
      await this.#bringRest(first);
      return { ...this.#stretches.version, totalBytes: this.#stretches.received };
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
    const { signal } = this.#options;
    try {
      if (first.next < first.end && this.#ranges !== undefined) await this.#stretches.bring(first, signal);
      for (let rest = returned(); rest !== undefined; rest = returned()) await this.#stretches.bring(rest, signal);
    } catch (error) {
      signal.throwIfAborted();
      // The whole source may be available although its ranges are not.
      throw new CannotGoOn('its server announces byte ranges but does not serve them', { cause: error });
    }
    const { totalBytes = this.#stretches.received } = this.#stretches.version;
    if (this.#stretches.received !== totalBytes) throw new CannotGoOn('some of its bytes are missing');
  }

  async #begin(): Promise<SourceAnswer> {
    const { maxBytes } = this.#options;
    const answer = await requestSource(this.#url, this.#options);
    try {
      const compression = compressionOf(answer.headers['content-encoding']);
      if (compression !== undefined) {
        throw new ServiceError(
          'undecodable_source',
          `The source ${redactUrlAndFolder(answer.url.href)} was sent with content-encoding ${compression}, although the request asked for the plain file.`,
        );
      }
      this.#stretches.version = versionOf(answer.headers);
      const { totalBytes } = this.#stretches.version;
      if (totalBytes !== undefined && totalBytes > maxBytes) throw tooLarge(answer.url, maxBytes);
      if (totalBytes !== undefined) await this.#options.room.claim(totalBytes);
      return answer;
    } catch (error) {
      discard(answer.body);
      throw error;
    }
  }

  #firstStretch(): Stretch {
    const endOf = (): number => this.#ranges?.end ?? this.#stretches.version.totalBytes ?? Infinity;
    return {
      next: 0,
      get end() {
        return endOf();
      },
    };
  }

  /** Returns how many connections help the first. */
  #shareOut(): number {
    const { totalBytes = 0, validator, hasRanges } = this.#stretches.version;
    if (!hasRanges || validator === undefined) return 0;
    const worthwhile = Math.floor(totalBytes / partBytes) - 1;
    const helpers = Math.max(0, Math.min(this.#options.connections - 1, worthwhile));
    if (helpers > 0) this.#ranges = new SourceRanges(totalBytes, partBytes);
    return helpers;
  }

  /** Errors here are ignored; the first connection fetches the range. */
  async #help(first: Stretch, signal: AbortSignal): Promise<void> {
    for (;;) {
      const range = this.#ranges?.claim(first.next);
      if (range === undefined) return;
      const stretch = { next: range.from, end: range.end };
      try {
        await this.#stretches.bring(stretch, signal);
      } catch {
        this.#ranges?.giveBack({ from: stretch.next, end: stretch.end });
        return;
      }
    }
  }
}
