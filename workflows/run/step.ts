import type { AttemptContext, AttemptState, FailedAttempt, Submission } from '../../contract/activity.ts';
import type { Unchanged } from '../../contract/earlier-chunks.ts';
import type { JobResult } from '../../contract/http/job.ts';
import type { UploadPlace } from '../../contract/http/url.ts';
import type { TaskPriority } from '../../contract/workflow/priority.ts';
import type { Share } from '../status/step-status.ts';

/** One container job with all its attempts. */
export interface Step<Result = unknown> {
  /** Unique in the run (`encode`, `chunk`); part of the idempotency key and of the status. */
  id: string;
  share: Share;
  /** First word of the log line about an attempt. */
  verb: 'Encoding' | 'Chunking' | 'Processing';
  /** Object of the log line about an attempt: `format mp3_128` */
  subject: string;
  summary: string;
  targets?: UploadPlace[];
  submit(summary: string, context: AttemptContext, priority: TaskPriority | undefined): Promise<Submission>;
  resultOf(result: JobResult | Unchanged, state: AttemptState): Result;
  /** State for an immediate second request, if the container's error says how to correct the first. */
  amend?(failed: FailedAttempt): AttemptState | undefined;
}
