import { z } from 'zod';

const containersIssue = { error: 'must be a whole number from 2 to 64' };
const secondsIssue = { error: 'must be from 20 to 600 seconds' };

/** How the films or the sound of a run are spread over containers (docs/reference/spread.md). */
export const SpreadInput = z.union(
  [
    z.literal('auto'),
    z.strictObject({
      /** Most containers that encode at a time. */
      containers: z.int(containersIssue).min(2, containersIssue).max(64, containersIssue),
      /** Wanted length of a segment of a film; one of sound is five times as long. */
      segmentSeconds: z.number().min(20, secondsIssue).max(600, secondsIssue),
    }),
  ],
  { error: 'must be "auto", or an object with containers (2 to 64) and segmentSeconds (20 to 600)' },
);
export type SpreadInput = z.infer<typeof SpreadInput>;

/** Result: the number of segments; `reason` says why there is only one. */
export const SpreadOutcome = z.object({ segments: z.number().int(), reason: z.string().optional() });
export type SpreadOutcome = z.infer<typeof SpreadOutcome>;

/** Part of the query `status`: segments by state. Segments that have not been started are in none. */
export interface SpreadStatus {
  /** 0 until the plan is made. */
  segments: number;
  done: number;
  running: number;
  /** Queued for a container, or waiting to retry. */
  waiting: number;
}
