import type { RunRecord } from '../../client/run-record.ts';

interface Page {
  runs: RunRecord[];
  nextCursor?: string;
}

type ReadPage = (filter: { cursor: string | undefined; startedBefore: Date | undefined }) => Promise<Page>;

/** Temporal allows ten lists and counts per second by default (`frontend.namespaceRPS.visibility`). */
const pagesAtOnce = 5;

const justAfter = ({ startedAt }: RunRecord): Date => new Date(startedAt.getTime() + 1);

/** Finds the oldest runs of a list that begins with the newest, and remembers where they begin. */
export class OldestRuns {
  readonly #readPage: ReadPage;
  readonly #most: number;
  #startedBefore: Date | undefined;
  #found: RunRecord[] = [];

  constructor(readPage: ReadPage, most: number) {
    this.#readPage = readPage;
    this.#most = most;
  }

  /** Returns the last runs that it found if the list is too long for one search; the next read continues the search. */
  async read(): Promise<RunRecord[]> {
    const startedBefore = this.#startedBefore;
    let oldest: RunRecord[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pagesAtOnce; page += 1) {
      const { runs, nextCursor } = await this.#readPage({ cursor, startedBefore });
      oldest = [...oldest, ...runs].slice(-this.#most);
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    const isFound = cursor === undefined;
    // Newer runs follow once half of the remembered ones are gone.
    if (isFound && oldest.length < this.#most / 2) this.#startedBefore = undefined;
    // The next read includes these runs, so that the end of the list has enough runs for it.
    if (oldest.length === this.#most) this.#startedBefore = oldest.map(justAfter)[0];
    if (isFound) this.#found = oldest;
    return this.#found;
  }
}
