import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { createDataConverter } from '../../codec/data-converter.ts';
import { readPayloadKeys } from '../../codec/payload-keys.ts';
import { defaultTaskQueue } from '../../contract/task-queues.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { TestContainer } from './container.ts';
import { startNode, type Environment, type TestProcess } from './process.ts';
import { startTemporal, type TemporalServer } from './temporal.ts';

/**
 * Containers whose jobs wait for a source that the test holds back. By default, a transfer may stall for 30 s, which
 * such a test may take on a loaded machine.
 */
export const patient: Environment = { STALL_TIMEOUT_SECONDS: '300' };

export interface StackOptions {
  containers?: number;
  containerEnvironment?: Environment;
  workerEnvironment?: Environment;
  /** The worker writes transcripts to the media root of the first container. */
  sharesMedia?: boolean;
  ui?: boolean;
  /** Key of the worker and of the test's client. */
  payloadKey?: string;
  /** A shared server, which this stack does not stop; `taskQueue` separates its users. */
  temporal?: TemporalServer;
  taskQueue?: string;
  /** Returns the URL by which the worker reaches a container. */
  wayTo?: (containerUrl: string) => Promise<string>;
}

/** All of Holdfast on this machine; each part is a process that a test may kill. */
export class TestStack {
  readonly temporal: TemporalServer;
  readonly containers: TestContainer[];
  readonly client: Client;
  worker: TestProcess;
  readonly #workerEnvironment: Environment;
  readonly #taskQueue: string;
  readonly #ownsTemporal: boolean;
  readonly #more: TestProcess[] = [];

  private constructor(
    temporal: TemporalServer,
    containers: TestContainer[],
    client: Client,
    environment: Environment,
    { taskQueue = defaultTaskQueue, temporal: shared }: StackOptions,
  ) {
    this.temporal = temporal;
    this.containers = containers;
    this.client = client;
    this.#workerEnvironment = { ...environment, TEMPORAL_TASK_QUEUE: taskQueue };
    this.#taskQueue = taskQueue;
    this.#ownsTemporal = shared === undefined;
    this.worker = this.#spawnWorker();
  }

  static async start(options: StackOptions = {}): Promise<TestStack> {
    const count = options.containers ?? 1;
    const [temporal, ...containers] = await Promise.all([
      options.temporal ?? startTemporal({ ui: options.ui ?? false }),
      ...Array.from({ length: count }, () => TestContainer.start(options.containerEnvironment)),
    ]);
    const { payloadKey } = options;
    const dataConverter = createDataConverter(readPayloadKeys({ key: payloadKey, file: undefined }));
    const client = new Client({
      connection: await Connection.connect({ address: temporal.address }),
      ...(dataConverter !== undefined && { dataConverter }),
    });
    const wayTo = options.wayTo ?? (async (url: string) => url);
    const containerUrls = await Promise.all(containers.map(({ url }) => wayTo(url)));
    const environment = {
      TEMPORAL_ADDRESS: temporal.address,
      CONTAINER_URLS: containerUrls.join(','),
      ...(payloadKey !== undefined && { PAYLOAD_KEY: payloadKey }),
      ...(options.sharesMedia === true && { MEDIA_ROOT: containers[0]?.mediaRoot ?? '' }),
      ...options.workerEnvironment,
    };
    const stack = new TestStack(temporal, containers, client, environment, options);
    await stack.worker.untilLogged(/^Worker ready/);
    return stack;
  }

  /** The first container, and the only one of most tests. */
  get container(): TestContainer {
    const [first] = this.containers;
    if (first === undefined) throw new Error('this stack has no container');
    return first;
  }

  /** All workers, including stopped ones. */
  get workers(): TestProcess[] {
    return [this.worker, ...this.#more];
  }

  #spawnWorker(environment: Environment = {}): TestProcess {
    return startNode('worker/main.ts', { ...this.#workerEnvironment, ...environment });
  }

  async startWorker(environment?: Environment): Promise<void> {
    this.worker = this.#spawnWorker(environment);
    await this.worker.untilLogged(/^Worker ready/);
  }

  /** Starts another worker, which the test or the end of the stack stops. */
  async addWorker(environment: Environment = {}): Promise<TestProcess> {
    const worker = this.#spawnWorker(environment);
    this.#more.push(worker);
    await worker.untilLogged(/^Worker ready/);
    return worker;
  }

  async run(type: WorkflowType, input: unknown): Promise<WorkflowHandle> {
    const workflowId = `${type}-${randomUUID()}`;
    return this.client.workflow.start(type, { workflowId, taskQueue: this.#taskQueue, args: [input] });
  }

  async status(handle: WorkflowHandle): Promise<WorkflowStatus> {
    return handle.query<WorkflowStatus>('status');
  }

  async untilStatus(
    handle: WorkflowHandle,
    what: string,
    probe: (status: WorkflowStatus) => boolean,
  ): Promise<WorkflowStatus> {
    return this.worker.until(what, async () => {
      const status = await this.status(handle);
      return probe(status) && status;
    });
  }

  /** Whether a container has a job for a segment of a spread run. */
  async hasSegment(handle: WorkflowHandle, container: TestContainer): Promise<boolean> {
    const { steps = [] } = await this.status(handle);
    return steps.some((step) => step.id.startsWith('segment') && step.container === new URL(container.url).host);
  }

  /** The container that has the job of a step of a run; undefined if the step has no job. */
  async containerOf(handle: WorkflowHandle, stepId: string): Promise<TestContainer | undefined> {
    const { steps = [] } = await this.status(handle);
    const place = steps.find(({ id }) => id === stepId)?.container;
    return this.containers.find(({ url }) => new URL(url).host === place);
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop('SIGTERM')));
    await this.client.connection.close();
    const stopped = this.containers.map((container) => container.stop());
    await Promise.all(this.#ownsTemporal ? [...stopped, this.temporal.stop()] : stopped);
  }
}
