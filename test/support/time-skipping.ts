import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';
import type { WorkflowHandle, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { containerClients } from '../../activities/container-client.ts';
import type { ActivityDependencies } from '../../activities/index.ts';
import type { Presigner } from '../../activities/presign.ts';
import { Storage } from '../../activities/provider/storage.ts';
import { createWorkers } from '../../worker/workers.ts';
import { cachedWorkflowBundle } from '../../worker/workflow-bundle.ts';
import { toolPath } from './tools.ts';

export const fakePresigner: Presigner = {
  get: async ({ bucket, key }) => ({ url: `https://s3.test/${bucket}/${key}?X-Amz-Get`, expiresAtMs: Infinity }),
  put: async ({ bucket, key }) => ({ url: `https://s3.test/${bucket}/${key}?X-Amz-Put`, expiresAtMs: Infinity }),
};

/** Temporal's test server, whose clock skips what nobody does anything in, with the real workers against it. */
export class TimeSkipping {
  readonly environment: TestWorkflowEnvironment;
  readonly logEntries: LogEntry[];

  private constructor(environment: TestWorkflowEnvironment, logEntries: LogEntry[]) {
    this.environment = environment;
    this.logEntries = logEntries;
  }

  /** Once a process, since Temporal's runtime with its logger is one. */
  static async start(): Promise<TimeSkipping> {
    const logEntries: LogEntry[] = [];
    Runtime.install({
      logger: new DefaultLogger('INFO', (entry) => logEntries.push(entry)),
      telemetryOptions: { logging: { forward: { level: 'ERROR' } } },
    });
    const executable = { type: 'existing-path', path: toolPath('TEMPORAL_TEST_SERVER_PATH') } as const;
    return new TimeSkipping(await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } }), logEntries);
  }

  /** Workers on a queue of their own for as long as `body` runs. */
  async withWorkers<T>(
    containerUrls: string[],
    body: (taskQueue: string) => Promise<T>,
    dependencies: Partial<ActivityDependencies> = {},
  ): Promise<T> {
    const taskQueue = `test-${randomUUID()}`;
    const workers = await createWorkers(
      { connection: { address: this.environment.address }, namespace: 'default', taskQueue, containerUrls },
      {
        clients: containerClients(undefined),
        presigner: fakePresigner,
        providers: new Map(),
        storage: new Storage(fakePresigner, undefined),
        ...dependencies,
      },
      await cachedWorkflowBundle(),
    );
    const running = workers.run();
    try {
      return await Promise.race([body(taskQueue), running.then(() => Promise.reject(new Error('workers stopped')))]);
    } finally {
      workers.stop();
      await running;
    }
  }

  async start(type: string, input: unknown, taskQueue: string): Promise<WorkflowHandleWithFirstExecutionRunId> {
    return this.environment.client.workflow.start(type, { taskQueue, workflowId: randomUUID(), args: [input] });
  }

  /**
   * One after the other: to wait for a result lets go of the one lock of the clock. A second wait beside it would let go of
   * some activity's, and the clock would skip while that runs.
   */
  async results(handles: readonly WorkflowHandle[]): Promise<unknown[]> {
    const results: unknown[] = [];
    for (const handle of handles) results.push(await handle.result());
    return results;
  }

  /**
   * From now on the clock keeps pace with the real one, whatever the server does: where a workflow's end or its continuing
   * as new meets a signal, the server lets go of a lock too many.
   */
  async stopSkipping(): Promise<void> {
    const { testService } = this.environment.connection;
    for (let lock = 0; lock < 100; lock += 1) await testService?.lockTimeSkipping({});
  }

  /** What the workflow of this id has logged. */
  workflowLog(workflowId: string): string[] {
    Runtime.instance().flushLogs();
    return this.logEntries
      .filter((entry) => entry.meta?.['workflowId'] === workflowId && entry.meta['sdkComponent'] === 'workflow')
      .map((entry) => entry.message);
  }

  async stop(): Promise<void> {
    await this.environment.teardown();
  }
}
