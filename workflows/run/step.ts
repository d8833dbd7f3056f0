import type { AttemptContext, TimedResult } from '../../contract/activity.ts';
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
  execute(summary: string, context: AttemptContext): Promise<TimedResult<Result>>;
}
