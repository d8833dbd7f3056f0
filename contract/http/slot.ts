import { z } from 'zod';

/** Request header that names the lease of a job's slot. */
export const leaseHeader = 'Holdfast-Lease';

/** Header of every answer: the `instanceId` of `/health`. */
export const instanceHeader = 'Holdfast-Instance';

const LeaseState = z.enum(['granted', 'waiting', 'taken', 'not_ready']);

export const SlotQuery = z.strictObject({
  /** Chosen by the client; others must not be able to guess it. */
  lease: z.string().regex(/^[\x21-\x7e]{8,100}$/, { error: 'must be 8 to 100 printable characters' }),
  /** Leases queue per line. */
  line: z.string().max(2000).optional(),
  /** Last known state: the answer is held until the state differs. */
  known: LeaseState.optional(),
});
export type SlotQuery = z.infer<typeof SlotQuery>;

/** Answer of `GET /slot`: the state of the lease. */
export const SlotView = z.object({
  state: LeaseState,
  /** Why no job can run, if the container is not ready. */
  reason: z.string().optional(),
  instanceId: z.string(),
  /** Version of Holdfast. */
  version: z.string().optional(),
});
export type SlotView = z.infer<typeof SlotView>;
