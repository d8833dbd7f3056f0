import type { WorkflowStatus } from '../../contract/workflow/status.ts';

/** How a run in progress is shown. */
export interface Progress {
  show(status: WorkflowStatus): void;
  /** A sentence that stays, such as a port that was taken. */
  note(sentence: string): void;
  /** Removes the bar and shows the cursor again. */
  stop(): void;
}
