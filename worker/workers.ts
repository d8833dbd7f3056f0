import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import {
  type ActivityDependencies,
  createContainerActivities,
  createLightActivities,
  createProviderActivities,
} from '../activities/index.ts';
import { containerTaskQueue, limiterTaskQueue, providerTaskQueue } from '../contract/task-queues.ts';
import { limiterWorkflowId, type WorkerSlots } from '../contract/limiter.ts';
import type { WorkerConfig } from './config.ts';
import { SlotReports } from './slot-reports.ts';

export interface Workers {
  /** Settles when all of them have stopped; rejects as soon as one has failed. */
  run(): Promise<void>;
  /** What SIGTERM does. */
  stop(): void;
}

/** Time for activities to end by themselves on SIGTERM; the jobs in the containers go on for the next worker. */
const shutdownGraceTime = '5s';
/** After that, something hangs that no grace helps. */
const shutdownForceTime = '20s';

async function connectToTemporal({
  connection,
  namespace,
}: Pick<WorkerConfig, 'connection' | 'namespace'>): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(connection);
  } catch (error) {
    const address = connection.address ?? 'localhost:7233';
    throw new Error(
      `Temporal cannot be reached at ${address} (namespace ${namespace}). Start it, or name another in TEMPORAL_ADDRESS.`,
      { cause: error },
    );
  }
}

/** One worker for the workflows and the light activities, one for the limiters of all workers, one for each provider's calls, and a one-slot worker for each container: a backlog waits at the server. */
export async function createWorkers(
  config: Pick<
    WorkerConfig,
    'connection' | 'namespace' | 'taskQueue' | 'limiterEnvironment' | 'containerUrls' | 'providerCallsPerWorker'
  > &
    Partial<Pick<WorkerConfig, 'dataConverter'>>,
  dependencies: ActivityDependencies,
  workflowBundle: { codePath: string },
): Promise<Workers> {
  const connections: NativeConnection[] = [];
  const encryption = config.dataConverter === undefined ? {} : { dataConverter: config.dataConverter };
  const slots: WorkerSlots = { workerId: randomUUID(), slots: config.providerCallsPerWorker };
  const connect = async () => {
    const connection = await connectToTemporal(config);
    connections.push(connection);
    return connection;
  };
  const create = async (options: WorkerOptions) => {
    return Worker.create({
      // Two workers on one queue in one process each need a connection of their own.
      connection: await connect(),
      namespace: config.namespace,
      ...encryption,
      // The workers that share a key's limits are counted by it.
      identity: `${process.pid}@${hostname()}-${slots.workerId}`,
      shutdownGraceTime,
      shutdownForceTime,
      ...options,
    });
  };
  const workers = [
    await create({
      taskQueue: config.taskQueue,
      workflowBundle,
      activities: createLightActivities(dependencies, slots),
    }),
  ];
  workers.push(await create({ taskQueue: limiterTaskQueue(config.limiterEnvironment), workflowBundle }));
  for (const containerUrl of config.containerUrls) {
    workers.push(
      await create({
        taskQueue: containerTaskQueue(config.taskQueue),
        activities: createContainerActivities(dependencies, containerUrl),
        maxConcurrentActivityTaskExecutions: 1,
        // Heartbeats bring progress to the Web UI and cancellations back; at most this old.
        maxHeartbeatThrottleInterval: '1s',
        defaultHeartbeatThrottleInterval: '1s',
      }),
    );
  }
  for (const key of dependencies.providers.keys()) {
    workers.push(
      await create({
        taskQueue: providerTaskQueue(config.taskQueue, key),
        activities: createProviderActivities(dependencies),
        maxConcurrentActivityTaskExecutions: config.providerCallsPerWorker,
        maxHeartbeatThrottleInterval: '1s',
        defaultHeartbeatThrottleInterval: '1s',
      }),
    );
  }
  const client = new Client({ connection: await connect(), namespace: config.namespace, ...encryption });
  const limiterIds = [...dependencies.providers.values()].map(({ policy }) =>
    limiterWorkflowId(policy.environment, policy.key),
  );
  const slotReports = new SlotReports(client, limiterIds, slots);
  return {
    async run() {
      try {
        slotReports.start();
        await Promise.all(workers.map((worker) => worker.run()));
      } finally {
        // When no worker of ours would take the limiter's next workflow task and lose it.
        await slotReports.stop();
        await Promise.allSettled(connections.map((connection) => connection.close()));
      }
    },
    stop: () => workers.forEach((worker) => worker.shutdown()),
  };
}
