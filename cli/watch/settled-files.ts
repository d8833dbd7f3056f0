/** A version of a file. */
export interface FoundFile {
  path: string;
  size: number;
  mtimeMs: number;
}

interface Observed extends FoundFile {
  /** When this version was seen first. */
  sinceMs: number;
  isTaken: boolean;
}

/** Finds the files that have stopped growing, by comparing what is found at each look. */
export class SettledFiles {
  readonly #settleMs: number;
  #files = new Map<string, Observed>();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /**
   * Returns the files that have just settled, each version once. An empty file never settles: browsers reserve the name
   * of a download with one.
   */
  observe(found: readonly FoundFile[], nowMs: number): FoundFile[] {
    const before = this.#files;
    // A file that is not found is forgotten.
    this.#files = new Map(found.map((file) => [file.path, continueWith(before.get(file.path), file, nowMs)]));
    const settled = [...this.#files.values()].filter(
      ({ size, sinceMs, isTaken }) => size > 0 && !isTaken && nowMs - sinceMs >= this.#settleMs,
    );
    for (const file of settled) file.isTaken = true;
    return settled.map(({ path, size, mtimeMs }) => ({ path, size, mtimeMs }));
  }

  /** True if a file with content may still settle. */
  get isWaiting(): boolean {
    return [...this.#files.values()].some(({ size, isTaken }) => size > 0 && !isTaken);
  }

  /** Lets the next look return the file again. */
  giveBack(file: FoundFile): void {
    const observed = this.#files.get(file.path);
    if (observed !== undefined && isSameVersion(observed, file)) observed.isTaken = false;
  }
}

function continueWith(before: Observed | undefined, file: FoundFile, nowMs: number): Observed {
  return before !== undefined && isSameVersion(before, file) ? before : { ...file, sinceMs: nowMs, isTaken: false };
}

export function isSameVersion(one: FoundFile, other: FoundFile): boolean {
  return one.size === other.size && one.mtimeMs === other.mtimeMs;
}
