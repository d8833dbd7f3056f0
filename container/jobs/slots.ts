/** Gives the slot back; a second call does nothing, so that no ending can free somebody else's slot. */
export type Release = () => void;

/** The slots of this container: the jobs that hold one are in `activeIds`. */
export interface Slots {
  readonly limit: number;
  readonly activeIds: ReadonlySet<string>;
  readonly remaining: number;
  /** Answers undefined when every slot is taken. */
  acquire(jobId: string): Release | undefined;
}

export function createSlots(limit: number): Slots {
  const activeIds = new Set<string>();
  return {
    limit,
    activeIds,
    get remaining() {
      return limit - activeIds.size;
    },
    acquire(jobId) {
      if (activeIds.size >= limit) return undefined;
      activeIds.add(jobId);
      return () => {
        activeIds.delete(jobId);
      };
    },
  };
}
