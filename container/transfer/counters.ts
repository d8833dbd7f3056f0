/** Transfers of this process, for its metrics. */
export interface TransferCounters {
  downloadedBytes: number;
  /** bytes of stored files */
  uploadedBytes: number;
  /** repeated requests to a store */
  uploadRetries: number;
}

export function createTransferCounters(): TransferCounters {
  return { downloadedBytes: 0, uploadedBytes: 0, uploadRetries: 0 };
}
