import { EventEmitter } from 'node:events';

/** Gives the slot back; a second call does nothing, so that no ending can free somebody else's slot. */
export type Release = () => void;

/** The slots of this container: the jobs that hold one are in `activeIds`. */
export interface Slots {
  readonly limit: number;
  readonly activeIds: ReadonlySet<string>;
  readonly remaining: number;
  /** Answers undefined when every slot is taken. */
  acquire(jobId: string): Release | undefined;
  /** Calls back after each slot that was taken or freed. */
  onChange(listener: () => void): void;
}

export function createSlots(limit: number): Slots {
  const activeIds = new Set<string>();
  const changes = new EventEmitter();
  return {
    limit,
    activeIds,
    get remaining() {
      return limit - activeIds.size;
    },
    acquire(jobId) {
      if (activeIds.size >= limit) return undefined;
      activeIds.add(jobId);
      changes.emit('change');
      return () => {
        if (activeIds.delete(jobId)) changes.emit('change');
      };
    },
    onChange: (listener) => void changes.on('change', listener),
  };
}
