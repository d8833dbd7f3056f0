import type { WorkflowStatus } from '../../contract/workflow/status.ts';

export interface Progress {
  show(status: WorkflowStatus): void;
  /** Prints a sentence that stays, such as a changed port. */
  note(sentence: string): void;
  /** Removes the bar and shows the cursor again. */
  stop(): void;
}
