/** What this process has moved, for its metrics. */
export interface TransferCounters {
  downloadedBytes: number;
  /** of files that are stored */
  uploadedBytes: number;
  /** Requests to a store that were made again. */
  uploadRetries: number;
}

export function createTransferCounters(): TransferCounters {
  return { downloadedBytes: 0, uploadedBytes: 0, uploadRetries: 0 };
}
