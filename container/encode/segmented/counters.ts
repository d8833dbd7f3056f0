/** How often this process did what; for the operator. */
export const parallelCounters = {
  /** jobs encoded on several cores */
  splitJobs: 0,
  /** of them those that had to be encoded again by the single run */
  fallbacks: 0,
};
