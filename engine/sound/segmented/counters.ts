/** How often this process encoded in segments: for its metrics and its log. */
export interface SegmentedCounters {
  /** jobs encoded in segments */
  jobs: number;
  /** those of them that had to be encoded again by the single run */
  fallbacks: number;
}

export function createSegmentedCounters(): SegmentedCounters {
  return { jobs: 0, fallbacks: 0 };
}
