import { z } from 'zod';
import { ChunkResult } from '../../contract/http/chunk.ts';
import { EncodeResult } from '../../contract/http/encode.ts';
import { JobPhase } from '../../contract/http/job.ts';
import { AnswerBody } from './answer-body.ts';

export const JobResult = z.union([EncodeResult, ChunkResult]);
export type JobResult = z.infer<typeof JobResult>;

const facts = {
  phase: JobPhase.catch('download'),
  percent: z.number().catch(0),
  etaSeconds: z.number().optional().catch(undefined),
  advances: z.number().optional().catch(undefined),
};

/** Of `JobView` what we follow a job by, so that a container of another version is followed too. */
export const FollowedJob = z.discriminatedUnion('state', [
  z.object({ ...facts, state: z.literal('running') }),
  z.object({ ...facts, state: z.literal('succeeded'), result: JobResult }),
  z.object({ ...facts, state: z.literal('failed'), error: AnswerBody }),
  z.object({ ...facts, state: z.literal('cancelled'), error: AnswerBody }),
]);
export type FollowedJob = z.infer<typeof FollowedJob>;

/** Grows when the job has really advanced; a container that does not count tells it by its percent. */
export function advancesOf(job: FollowedJob): number {
  return job.advances ?? job.percent;
}
