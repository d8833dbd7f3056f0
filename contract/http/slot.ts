import { z } from 'zod';

/** Header of a request for a job: the lease of the slot. */
export const leaseHeader = 'Holdfast-Lease';

/** Header of every answer: the `instanceId` of `/health`. */
export const instanceHeader = 'Holdfast-Instance';

const LeaseState = z.enum(['granted', 'waiting', 'taken', 'not_ready']);

/** The query of `GET /slot`. */
export const SlotQuery = z.strictObject({
  /** Chosen by who asks, and not to be guessed by others. */
  lease: z.string().regex(/^[\x21-\x7e]{8,100}$/, { error: 'must be 8 to 100 printable characters' }),
  /** Leases wait for those of their own line alone. */
  line: z.string().max(2000).optional(),
  /** The last known state: the answer waits until the state differs. */
  known: LeaseState.optional(),
});
export type SlotQuery = z.infer<typeof SlotQuery>;

/** `GET /slot`: how the lease stands. */
export const SlotView = z.object({
  state: LeaseState,
  /** Why no job can work here now, where the container is not ready. */
  reason: z.string().optional(),
  instanceId: z.string(),
  /** Holdfast's. */
  version: z.string().optional(),
});
export type SlotView = z.infer<typeof SlotView>;
