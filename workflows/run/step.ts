import type { AttemptContext, AttemptState, FailedAttempt, Submission } from '../../contract/activity.ts';
import type { Unchanged } from '../../contract/earlier-chunks.ts';
import type { JobResult } from '../../contract/http/job.ts';
import type { UploadPlace } from '../../contract/http/url.ts';
import type { TaskPriority } from '../../contract/workflow/priority.ts';
import type { Share } from '../status/step-status.ts';

/** One job at a container, with all the attempts that it takes. */
export interface Step<Result = unknown> {
  /** Unique in its run (`encode`, `chunk`, `segment-3`): names its idempotency key, its job and its place in the status. */
  id: string;
  /** Of the whole run. */
  share: Share;
  /** As the log says it. */
  verb: 'Encoding' | 'Chunking' | 'Processing';
  /** As the log says it: `format mp3_128` */
  subject: string;
  /** Of the activity, after its attempt's number. */
  summary: string;
  /** Where its outputs go, as the input says it. */
  targets?: UploadPlace[];
  /** Waits in the queue for a container. */
  submit(summary: string, context: AttemptContext, priority: TaskPriority | undefined): Promise<Submission>;
  resultOf(result: JobResult | Unchanged, state: AttemptState): Result;
  /** The state of another request that may succeed at once, where the container has said how. */
  amend?(failed: FailedAttempt): AttemptState | undefined;
}
