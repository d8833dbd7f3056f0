import type { NativeConnection } from '@temporalio/worker';

/** Source of the tasks that use a container's slot. */
export interface TaskSource {
  /**
   * Queue of the container's leases. Workers with different task sources have different queues: neither knows when the
   * other gets a task.
   */
  line: string;
  /** A worker whose server does not answer gets no task, however long it holds a slot. */
  answers(): Promise<boolean>;
}

/** A reachable server answers well within this time. */
const answerTimeoutMs = 3_000;

export async function taskSource(
  connection: NativeConnection,
  namespace: string,
  taskQueue: string,
): Promise<TaskSource> {
  const { workflowService } = connection;
  return {
    line: `${await idOfNamespace(connection, namespace)} ${taskQueue}`,
    async answers() {
      try {
        await connection.withDeadline(Date.now() + answerTimeoutMs, () => workflowService.getSystemInfo({}));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** The id is needed because many servers have a namespace of the same name. */
async function idOfNamespace(connection: NativeConnection, namespace: string): Promise<string> {
  try {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
    return namespaceInfo?.id ?? namespace;
  } catch {
    // A worker's token may not be allowed to read the namespace.
    return namespace;
  }
}
