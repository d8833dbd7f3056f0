/** Activities that submit a job; their step is queued until a worker starts them. */
export const submitting: ReadonlySet<string> = new Set(['encode', 'chunk']);

/** Decoded history event for the timeline. Ids are unique over all executions of the run. */
export type RunEvent = { atMs: number } & (
  | { kind: 'activity_scheduled'; id: string; activity: string; step: string | undefined; attempt: number | undefined }
  | { kind: 'activity_started'; id: string }
  | { kind: 'activity_ended'; id: string; outcome: ActivityOutcome }
  | { kind: 'timer_started'; id: string; seconds: number }
  | { kind: 'timer_ended'; id: string }
  | { kind: 'progress'; step: string; phase: string }
  | { kind: 'closed'; isCancelled: boolean }
);

export type ActivityOutcome =
  /** `submission` is set for an activity that submits a job: `accepted`, `finished` or `turned_away`. */
  | { kind: 'completed'; submission: string | undefined }
  /** `code` is the container's error code, if the failure has one. */
  | { kind: 'failed'; type: string; message: string; code?: string | undefined }
  | { kind: 'cancelled' };
