import { groupItems, type ItemGroup, ungroupItems } from '../../contract/index-ranges.ts';
import { jsonBytes } from '../../contract/payload-size.ts';
import type { ChunkTask } from './chunk-task.ts';

export type PackedTasks = ItemGroup<ChunkTask>[];

/** Of half of what a payload may have, since other things are in it, too. */
const mostBytes = 1_000_000;
/** Of a message that says something else of each of thousands of chunks. */
const shortMessageCharacters = 30;

/** The tasks of thousands of chunks as a payload can hold them: most are equal. Messages are cut where they would not fit. */
export function packTasks(tasks: readonly ChunkTask[]): PackedTasks {
  const packed = groupItems(tasks);
  return jsonBytes(packed) <= mostBytes ? packed : groupItems(tasks.map(withShortMessage));
}

/** A run that was begun by a former version has the tasks themselves. */
export function unpackTasks(tasks: PackedTasks | ChunkTask[]): ChunkTask[] {
  return tasks.every((task) => 'kind' in task) ? [...tasks] : ungroupItems(tasks);
}

function withShortMessage(task: ChunkTask): ChunkTask {
  if (task.kind !== 'failed' || task.message.length <= shortMessageCharacters) return task;
  return { ...task, message: `${task.message.slice(0, shortMessageCharacters)}…` };
}
