import { open, type FileHandle } from 'node:fs/promises';
import { type ByteRange, divideRanges, joinRanges, missingRanges } from '../../engine/spread/byte-ranges.ts';
import { runPool } from '../../engine/pool.ts';
import type { PartialFile } from '../../engine/spread/partial-file.ts';
import { namingFailures } from './download.ts';
import { tooLarge, type DownloadOptions } from './save-source.ts';
import type { SourceVersion } from './source-answer.ts';
import { partBytes } from './source-ranges.ts';
import { StretchFetcher } from './stretch-fetcher.ts';

/** Gap in bytes between two wanted ranges that costs less than another request. */
const cheapGap = 128 * 1024;

/** More ranges than this are joined over larger gaps, as a store bills and delays each request. */
const manyRanges = 32;

/** Gap in bytes between two of many ranges that costs less than another request. */
const cheapGapOfMany = 1024 ** 2;

/** A source of which only some ranges are fetched, all of one version, into a sparse file of its full length. */
export class PartialDownload implements PartialFile {
  readonly path: string;
  readonly size: number;
  readonly #url: URL;
  readonly #file: FileHandle;
  readonly #options: DownloadOptions;
  readonly #stretches: StretchFetcher;
  #present: ByteRange[] = [];

  private constructor(
    url: URL,
    path: string,
    file: FileHandle,
    size: number,
    version: SourceVersion,
    options: DownloadOptions,
  ) {
    this.path = path;
    this.size = size;
    this.#url = url;
    this.#file = file;
    this.#options = options;
    this.#stretches = new StretchFetcher(url, file, options, version);
  }

  static async open(
    url: URL,
    path: string,
    version: SourceVersion,
    options: DownloadOptions,
  ): Promise<PartialDownload> {
    const { totalBytes: size = 0 } = version;
    if (size > options.maxBytes) throw tooLarge(url, options.maxBytes);
    const file = await open(path, 'w', 0o600);
    try {
      await file.truncate(size);
    } catch (error) {
      await file.close();
      throw error;
    }
    return new PartialDownload(url, path, file, size, version, options);
  }

  /** Throws `CannotGoOn` if the server does not serve ranges of this version. */
  async bring(ranges: readonly ByteRange[]): Promise<void> {
    const { signal, connections, room } = this.#options;
    const wanted = missingRanges(joinRanges(ranges), this.#present);
    if (wanted.length === 0) return;
    const near = joinRanges(wanted, cheapGap);
    const fetched = near.length > manyRanges ? joinRanges(near, cheapGapOfMany) : near;
    await room.claim(fetched.reduce((sum, { from, end }) => sum + end - from, 0));
    const tasks = divideRanges(fetched, partBytes).map(({ from, end }) => async (either: AbortSignal) => {
      await namingFailures(this.#url, either, () => this.#stretches.bring({ next: from, end }, either));
    });
    await runPool(tasks, connections, signal);
    this.#present = joinRanges([...this.#present, ...fetched]);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
