import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Runtime, type LogEntry } from '@temporalio/worker';
import type { WorkflowHandle, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { containerClients, thisMachine } from '../../activities/container/client.ts';
import type { ActivityDependencies } from '../../activities/index.ts';
import { nothingAllowed } from '../../network/address-guard.ts';
import { Storage } from '../../activities/storage/storage.ts';
import { defaultEnvironment, defaultProviderCallsPerWorker } from '../../contract/defaults.ts';
import { workerRoles } from '../../worker/roles.ts';
import { createWorkers } from '../../worker/workers.ts';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';
import { fakeStores } from './fake-stores.ts';
import { logEntries, useRuntime } from './runtime.ts';
import { toolPath } from './tools.ts';

const testServerPath = await toolPath('TEMPORAL_TEST_SERVER_PATH');

const mostStarts = 10;

/** Once more where it was late: the SDK ends a server that does not answer within 5 s, and a loaded machine takes longer to start Java. */
async function startServer(): Promise<TestWorkflowEnvironment> {
  const executable = { type: 'existing-path', path: testServerPath } as const;
  for (let starts = 1; ; starts += 1) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
    } catch (error) {
      if (starts === mostStarts || !/did not start within/.test(String(error))) throw error;
    }
  }
}

/**
 * The server's clock has skipped all that was due, to some ten years ahead. A fault of the server (1.31.0): where the end of a workflow
 * coincides with a signal, the server releases the lock of its clock once too often, and the clock skips while activities run. What a
 * test saw then says nothing about Holdfast.
 */
export class ClockRanAway extends Error {}

const yearMs = 365 * 86_400_000;
const clockLookMs = 200;

/** Temporal's test server, whose clock skips the time in which nothing runs, with the real workers against it. */
export class TimeSkipping {
  #environment: TestWorkflowEnvironment;
  readonly #former: TestWorkflowEnvironment[] = [];
  readonly logEntries: LogEntry[];

  private constructor(environment: TestWorkflowEnvironment, logEntries: LogEntry[]) {
    this.#environment = environment;
    this.logEntries = logEntries;
  }

  get environment(): TestWorkflowEnvironment {
    return this.#environment;
  }

  static async start(): Promise<TimeSkipping> {
    await useRuntime();
    return new TimeSkipping(await startServer(), logEntries);
  }

  /** Another server, with a right clock. The former one is stopped at the end: calls to it may be under way. */
  async restart(start = startServer): Promise<void> {
    this.#former.push(this.#environment);
    // A test that starts over must not find what its first try has logged.
    Runtime.instance().flushLogs();
    this.logEntries.length = 0;
    this.#environment = await start();
  }

  /** Workers on a queue of their own for as long as `body` runs, with our workflows or with those of a test. */
  async withWorkers<T>(
    containerUrls: string[],
    body: (taskQueue: string) => Promise<T>,
    dependencies: Partial<ActivityDependencies> = {},
    workflowBundle?: { codePath: string },
    { taskQueue = `test-${randomUUID()}`, machine = thisMachine }: { taskQueue?: string; machine?: string } = {},
  ): Promise<T> {
    const workers = await createWorkers(
      {
        ...{ roles: new Set(workerRoles), drainSeconds: 5 },
        ...{ connection: { address: this.environment.address }, namespace: 'default', taskQueue, containerUrls },
        limiterEnvironment: [...(dependencies.providers?.values() ?? [])][0]?.policy.environment ?? defaultEnvironment,
        advertisedAddress: { url: undefined, host: undefined, machine },
        providerCallsPerWorker: defaultProviderCallsPerWorker,
      },
      {
        clients: containerClients(undefined),
        stores: fakeStores(),
        headerVariables: new Map(),
        packageKeys: new Map(),
        webhooks: { secrets: new Map(), allowed: nothingAllowed },
        providers: new Map(),
        storage: new Storage(fakeStores()),
        ...dependencies,
      },
      async () => workflowBundle ?? (await ensureWorkflowBundle()),
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
   * One after the other: waiting for a result releases the one lock of the clock. A second wait beside it would release the lock
   * of an activity, and the clock would skip while that runs. Throws ClockRanAway where it skipped all the same.
   */
  async results(handles: readonly WorkflowHandle[]): Promise<unknown[]> {
    const results: unknown[] = [];
    const done = new AbortController();
    const clock = this.#untilClockRanAway(done.signal);
    try {
      for (const handle of handles) results.push(await Promise.race([handle.result(), clock]));
      return results;
    } catch (error) {
      // By then the run may have come to the end of its time.
      throw (await this.clockRanAway()) ? new ClockRanAway() : error;
    } finally {
      done.abort();
    }
  }

  async #untilClockRanAway(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.clockRanAway()) throw new ClockRanAway();
      await delay(clockLookMs);
    }
  }

  /** What a test saw then says nothing, whatever the error that it ended with. */
  async clockRanAway(): Promise<boolean> {
    return (await this.#environment.currentTimeMs()) > Date.now() + yearMs;
  }

  /**
   * From now on the clock keeps pace with the real one, though the server releases a lock too many where a workflow ends or
   * continues as new while a signal arrives.
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
    for (const environment of [...this.#former, this.#environment]) await environment.teardown();
  }
}
