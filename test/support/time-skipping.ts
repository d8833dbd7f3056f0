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
import { defaultSpreadContainers, defaultSpreadSeconds } from '../../contract/spread-settings.ts';
import { workerRoles } from '../../worker/roles.ts';
import { createWorkers } from '../../worker/workers.ts';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';
import { fakeStores } from './fake-stores.ts';
import { logEntries, useRuntime } from './runtime.ts';
import { toolPath } from './tools.ts';

const testServerPath = await toolPath('TEMPORAL_TEST_SERVER_PATH');

const mostStarts = 30;

/** Retries late starts: the SDK ends a server that does not answer within 5 s, but a loaded machine starts Java more slowly. */
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
 * The server's clock has skipped about ten years ahead, which invalidates the test. This is a fault of the server (1.31.0): if
 * the end of a workflow coincides with a signal, the server releases the lock of its clock once too often, and the clock skips
 * while activities run.
 */
export class ClockRanAway extends Error {}

const yearMs = 365 * 86_400_000;
const clockLookMs = 200;

/** Temporal's test server, whose clock skips idle time, with our real workers. */
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

  /** Starts another server with a correct clock. The former server is stopped at the end. */
  async restart(start = startServer): Promise<void> {
    this.#former.push(this.#environment);
    // A repeated test must not see the log of its first try.
    Runtime.instance().flushLogs();
    this.logEntries.length = 0;
    this.#environment = await start();
  }

  /** Runs workers on a separate queue during `body`, with our workflows or those of a test. */
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
        spread: { mostContainers: defaultSpreadContainers, leastSeconds: defaultSpreadSeconds },
        ...dependencies,
      },
      async () => workflowBundle ?? (await ensureWorkflowBundle()),
    );
    const running = workers.run();
    const result = Promise.race([body(taskQueue), running.then(() => Promise.reject(new Error('workers stopped')))]);
    await Promise.allSettled([result]);
    workers.stop();
    const [end] = await Promise.allSettled([running]);
    // Workers that end badly must not hide why the body failed.
    const value = await result;
    if (end.status === 'rejected') throw end.reason;
    return value;
  }

  async start(type: string, input: unknown, taskQueue: string): Promise<WorkflowHandleWithFirstExecutionRunId> {
    return this.environment.client.workflow.start(type, { taskQueue, workflowId: randomUUID(), args: [input] });
  }

  /**
   * Waits for results in turn. A wait releases the lock of the clock; a second, simultaneous wait would release the lock of an
   * activity, and the clock would skip while the activity runs. Throws ClockRanAway if the clock skipped nevertheless.
   */
  async results(handles: readonly WorkflowHandle[]): Promise<unknown[]> {
    const results: unknown[] = [];
    const { client } = this.#environment;
    // A call that stays open would be repeated when its server has stopped, which is an error outside of tests.
    const end = new AbortController();
    const clock = this.#untilClockRanAway(end.signal);
    try {
      for (const handle of handles) {
        const result = client.withAbortSignal(end.signal, async () => await handle.result());
        results.push(await Promise.race([result, clock]));
      }
      return results;
    } catch (error) {
      // The error may be the timeout of a run whose clock ran away.
      throw (await this.clockRanAway()) ? new ClockRanAway() : error;
    } finally {
      end.abort();
      await Promise.allSettled([clock]);
    }
  }

  async #untilClockRanAway(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.clockRanAway()) throw new ClockRanAway();
      await delay(clockLookMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Whether the test is invalid, whatever its error. */
  async clockRanAway(): Promise<boolean> {
    return (await this.#environment.currentTimeMs()) > Date.now() + yearMs;
  }

  /**
   * Keeps the clock at real speed from now on, despite the lock that the server releases if a workflow ends or continues as new
   * while a signal arrives.
   */
  async stopSkipping(): Promise<void> {
    const { testService } = this.environment.connection;
    for (let lock = 0; lock < 100; lock += 1) await testService?.lockTimeSkipping({});
  }

  /** Log messages of the workflow with this id. */
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
