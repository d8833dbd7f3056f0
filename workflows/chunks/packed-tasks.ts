import { groupItems, type ItemGroup, ungroupItems } from '../../contract/index-ranges.ts';
import { jsonBytes } from '../../contract/payload-size.ts';
import type { ChunkTask } from './chunk-task.ts';

export type PackedTasks = ItemGroup<ChunkTask>[];

/** Half of a payload's limit, because the payload holds other data too. */
const mostBytes = 1_000_000;
/** Messages are cut to this length if thousands of chunks have different ones. */
const shortMessageCharacters = 30;

/** Groups equal tasks, so that thousands of them fit into a payload. Messages are cut if they still do not fit. */
export function packTasks(tasks: readonly ChunkTask[]): PackedTasks {
  const packed = groupItems(tasks);
  return jsonBytes(packed) <= mostBytes ? packed : groupItems(tasks.map(withShortMessage));
}

/** Older versions stored the tasks ungrouped. */
export function unpackTasks(tasks: PackedTasks | ChunkTask[]): ChunkTask[] {
  return tasks.every((task) => 'kind' in task) ? [...tasks] : ungroupItems(tasks);
}

function withShortMessage(task: ChunkTask): ChunkTask {
  if (task.kind !== 'failed' || task.message.length <= shortMessageCharacters) return task;
  return { ...task, message: `${task.message.slice(0, shortMessageCharacters)}…` };
}
