/** Whether a stream's packets are copied, and if not despite a request, why. */
export interface CopyDecision {
  isCopied?: true;
  notCopied?: string;
}

/** A stream whose requested copy cannot be used, with the reason. */
export interface FailedCopy {
  kind: 'pictures' | 'sound';
  reason: string;
}
