/** Facts about a file's end, taken from its structure without decoding. */
export interface Ending {
  /**
   * `whole`: all bytes are present that the file's sizes or end mark require. `cut`: some are missing. `unknown`: the
   * format or its writer does not say, as in most live recordings.
   */
  kind: 'whole' | 'cut' | 'unknown';
  /**
   * Length of the audio as the file declares it, if only this reader knows it. `none`: the file declares nothing
   * credible.
   */
  declaredSeconds?: number | 'none';
  /** Seconds that segment indexes declare for a stream, by its id. */
  indexedSeconds?: ReadonlyMap<number, number>;
  /** Present share of the declared bytes, for formats whose length follows from their bytes. */
  presentShare?: number;
}

/** A recording of a day has fewer elements. A hostile file could have billions. */
export const maxElements = 2_000_000;
