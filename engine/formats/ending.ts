/** What is known of a file's end from its structure, without decoding it. */
export interface Ending {
  /**
   * `whole`: everything is there that the file's own sizes or end mark ask for. `cut`: something of it is missing.
   * `unknown`: the format, or this writer of it, does not say; a stream that was recorded live, mostly.
   */
  kind: 'whole' | 'cut' | 'unknown';
  /** What the file says that its audio has, where only this reader can tell; `none`: it says nothing that could be believed. */
  declaredSeconds?: number | 'none';
  /** Of the bytes that the file says it has, the share that is there; for formats whose length is their bytes. */
  presentShare?: number;
}

/** More elements than a day of any recording has; in a hostile file there might be billions. */
export const maxElements = 2_000_000;
