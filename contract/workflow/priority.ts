import { definedFields } from '../defined-fields.ts';
import type { CommonInput } from './common-input.ts';

/** Signal that changes a run's priority; the argument is a PriorityChange. */
export const prioritySignal = 'set_priority';

export interface PriorityChange {
  /** 1 to 5 */
  priority: number;
  /** The run waits for a container and must be queued again. */
  moves: boolean;
}

/** Temporal's priority of a run and of each of its activities. */
export interface TaskPriority {
  priorityKey?: number;
  fairnessKey?: string;
  fairnessWeight?: number;
}

/** Undefined if the input has none of these fields; activities then have the run's priority. */
export function priorityOf({ priority, fairnessKey, fairnessWeight }: CommonInput): TaskPriority | undefined {
  if (priority === undefined && fairnessKey === undefined) return undefined;
  return definedFields({ priorityKey: priority, fairnessKey, fairnessWeight });
}
