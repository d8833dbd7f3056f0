/** What of a run's history its timeline is made of, decoded. Ids are unique in the run, also where it continued as new. */
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
  /** `submission`: of an activity that submits a job: `accepted`, `finished` or `turned_away` */
  | { kind: 'completed'; submission: string | undefined }
  | { kind: 'failed'; type: string; message: string }
  | { kind: 'cancelled' };
