import type { NativeConnection } from '@temporalio/worker';

/** Where the tasks come from that use a container's slot. */
export interface TaskSource {
  /** Of the container's leases. A worker that takes its tasks elsewhere does not wait for this one: neither knows when the other gets a task. */
  line: string;
  /** Where the server does not answer, this worker gets no task, however long it has the slot of a container. */
  answers(): Promise<boolean>;
}

/** Whether the server is there is known sooner. */
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

/** Its name is the same at many servers. */
async function idOfNamespace(connection: NativeConnection, namespace: string): Promise<string> {
  try {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
    return namespaceInfo?.id ?? namespace;
  } catch {
    // Not every token of a worker may ask for it.
    return namespace;
  }
}
