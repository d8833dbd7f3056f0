/** Whether a stream's packets are copied, and if not despite a request, why. */
export interface CopyDecision {
  isCopied?: true;
  notCopied?: string;
  /** Only the count of the sound, which is cut beside copied pictures, is missing for the copy. */
  awaitsCount?: true;
}

/** A stream whose requested copy cannot be used, with the reason. */
export interface FailedCopy {
  kind: 'pictures' | 'sound';
  reason: string;
}
