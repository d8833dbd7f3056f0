import { z } from 'zod';
import { JobPhase, JobResult, VideoProgress } from '../../contract/http/job.ts';
import { WantedFile } from '../../contract/http/upload-urls.ts';
import { AnswerBody } from './answer-body.ts';

const facts = {
  jobId: z.string().optional().catch(undefined),
  phase: JobPhase.catch('download'),
  percent: z.number().catch(0),
  etaSeconds: z.number().optional().catch(undefined),
  speed: z.number().optional().catch(undefined),
  video: VideoProgress.optional().catch(undefined),
  advances: z.number().optional().catch(undefined),
};

/** Only the fields of `JobView` that following needs, so that containers of other versions can be followed. */
export const FollowedJob = z.discriminatedUnion('state', [
  z.object({ ...facts, state: z.literal('running'), wanted: z.array(WantedFile).optional().catch(undefined) }),
  z.object({ ...facts, state: z.literal('succeeded'), result: JobResult }),
  z.object({ ...facts, state: z.literal('failed'), error: AnswerBody }),
  z.object({ ...facts, state: z.literal('cancelled'), error: AnswerBody }),
]);
export type FollowedJob = z.infer<typeof FollowedJob>;

/** Whether the view and its result describe this job, as far as they name one. */
export function isViewOf(view: FollowedJob, jobId: string): boolean {
  const named = [view.jobId, view.state === 'succeeded' && 'jobId' in view.result ? view.result.jobId : undefined];
  return named.every((id) => id === undefined || id === jobId);
}

export function wantedOf(job: FollowedJob): readonly WantedFile[] {
  return job.state === 'running' ? (job.wanted ?? []) : [];
}

/** A value that grows with each advance; containers that do not count advances report percent. */
export function advancesOf(job: FollowedJob): number {
  return job.advances ?? job.percent;
}
