import { EventEmitter } from 'node:events';

/** Frees the slot. A second call does nothing, so it cannot free the slot of another job. */
export type Release = () => void;

/** Slots of this container; `activeIds` names the jobs that hold one. */
export interface Slots {
  readonly limit: number;
  readonly activeIds: ReadonlySet<string>;
  readonly remaining: number;
  /** Returns undefined if every slot is taken. */
  acquire(jobId: string): Release | undefined;
  /** Calls the listener whenever a slot is taken or freed. */
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
