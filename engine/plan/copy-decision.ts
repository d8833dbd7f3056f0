/** Whether the packets of a stream are copied; and why not, where that was asked for. */
export interface CopyDecision {
  isCopied?: true;
  notCopied?: string;
}

/** A stream that was to be copied, and why its copy cannot be taken. */
export interface FailedCopy {
  kind: 'pictures' | 'sound';
  reason: string;
}
