/** Counts of encodes in segments in this process, for metrics and log. */
export interface SegmentedCounters {
  /** Jobs encoded in segments. */
  jobs: number;
  /** Jobs among these that a single run had to encode again. */
  fallbacks: number;
}

export function createSegmentedCounters(): SegmentedCounters {
  return { jobs: 0, fallbacks: 0 };
}
