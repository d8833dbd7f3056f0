import type { CommonInput } from './common-input.ts';

/** Sent to a run to change its priority; the argument is a PriorityChange. */
export const prioritySignal = 'set_priority';

export interface PriorityChange {
  /** 1 to 5 */
  priority: number;
  /** The run waits for a container, and takes another place in the line. */
  moves: boolean;
}

/** Temporal's priority of a run and of each of its activities. */
export interface TaskPriority {
  priorityKey?: number;
  fairnessKey?: string;
  fairnessWeight?: number;
}

/** Undefined where the input says nothing: an activity then has the priority of the run itself. */
export function priorityOf({ priority, fairnessKey, fairnessWeight }: CommonInput): TaskPriority | undefined {
  if (priority === undefined && fairnessKey === undefined) return undefined;
  return {
    ...(priority !== undefined && { priorityKey: priority }),
    ...(fairnessKey !== undefined && { fairnessKey }),
    ...(fairnessWeight !== undefined && { fairnessWeight }),
  };
}
