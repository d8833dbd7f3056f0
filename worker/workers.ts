import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Client } from '@temporalio/client';
import { VersioningBehavior } from '@temporalio/common';
import { NativeConnection, Runtime, Worker, type WorkerOptions, type WorkerTuner } from '@temporalio/worker';
import {
  type ActivityDependencies,
  createContainerActivities,
  createFollowerActivities,
  createLightActivities,
  createProviderActivities,
} from '../activities/index.ts';
import { containerTaskQueue, machineTaskQueue, limiterTaskQueue, providerTaskQueue } from '../contract/task-queues.ts';
import { limiterWorkflowId, type WorkerSlots } from '../contract/limiter.ts';
import type { WorkerConfig } from './config.ts';
import { LeasedSlot } from './containers/leased-slot.ts';
import { containerPlace } from './containers/place.ts';
import { ContainerPresence } from './containers/presence.ts';
import { taskSource } from './containers/task-source.ts';
import { limitPayloads } from './payload-limit.ts';
import { RegisteredSearchAttributes } from './search-attributes.ts';
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

/** Heartbeats bring progress to the Web UI and cancellations back, and tell that the worker is there; at most this old. */
const promptHeartbeats = { maxHeartbeatThrottleInterval: '1s', defaultHeartbeatThrottleInterval: '1s' } as const;

/** Most of them follow jobs, and do no more than wait. */
const lightActivities = 1_000;

/**
 * Those that run workflows; the workers that run activities alone take those of any build. The workers say what becomes of runs, and not
 * the workflows: from a worker without a version the server takes no workflow that does.
 */
function versioningOf(
  { deploymentVersion }: Partial<Pick<WorkerConfig, 'deploymentVersion'>>,
  defaultVersioningBehavior: VersioningBehavior,
): Partial<WorkerOptions> {
  if (deploymentVersion === undefined) return {};
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: deploymentVersion,
      defaultVersioningBehavior,
    },
  };
}

/** How soon a run whose worker is lost goes on at another one. */
const stickyQueueScheduleToStartTimeout = '5s';

/** A worker of a container runs nothing but its activities. */
function containerTuner(slot: LeasedSlot): WorkerTuner {
  const one = { type: 'fixed-size', numSlots: 1 } as const;
  return {
    activityTaskSlotSupplier: slot,
    workflowTaskSlotSupplier: one,
    localActivityTaskSlotSupplier: one,
    nexusTaskSlotSupplier: one,
  };
}

/**
 * One worker for the workflows and the light activities, one for the limiters of all workers, one for each provider's calls, and one
 * for each container, and where they are this machine's own one for their jobs; a container's takes a task only when the container is free: a backlog waits at the server.
 */
export async function createWorkers(
  config: Pick<
    WorkerConfig,
    | 'connection'
    | 'namespace'
    | 'taskQueue'
    | 'limiterEnvironment'
    | 'containerUrls'
    | 'advertisedAddress'
    | 'providerCallsPerWorker'
  > &
    Partial<Pick<WorkerConfig, 'dataConverter' | 'deploymentVersion'>>,
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
      interceptors: { activity: [({ info }) => ({ inbound: limitPayloads(info.activityType) })] },
      ...options,
    });
  };
  const registered = new RegisteredSearchAttributes(await connect(), {
    namespace: config.namespace,
    // They are not encrypted, and what an encrypted history hides must not stand beside it.
    leftOut: config.dataConverter === undefined ? [] : ['HoldfastSource', 'HoldfastFormats'],
    warn: (sentence) => Runtime.instance().logger.warn(sentence),
  });
  const workers = [
    await create({
      taskQueue: config.taskQueue,
      workflowBundle,
      activities: createLightActivities(dependencies, { slots, searchAttributes: () => registered.names() }),
      // A run ends on the build that it began on.
      ...versioningOf(config, VersioningBehavior.PINNED),
      maxConcurrentActivityTaskExecutions: lightActivities,
      stickyQueueScheduleToStartTimeout,
      ...promptHeartbeats,
    }),
  ];
  workers.push(
    await create({
      taskQueue: limiterTaskQueue(config.limiterEnvironment),
      workflowBundle,
      // A limiter never ends, so each new build takes it over.
      ...versioningOf(config, VersioningBehavior.AUTO_UPGRADE),
    }),
  );
  const { namespace, taskQueue, containerUrls, advertisedAddress } = config;
  const presenceConnection = await connect();
  const presence = new ContainerPresence(presenceConnection, namespace, taskQueue, containerUrls);
  const source = await taskSource(presenceConnection, namespace, taskQueue);
  const places = containerUrls.map((containerUrl) => containerPlace(containerUrl, advertisedAddress));
  if (places.some(({ machine }) => machine !== undefined)) {
    workers.push(
      await create({
        taskQueue: machineTaskQueue(taskQueue, advertisedAddress.machine),
        activities: createFollowerActivities(dependencies),
        maxConcurrentActivityTaskExecutions: lightActivities,
        ...promptHeartbeats,
      }),
    );
  }
  for (const [index, containerUrl] of containerUrls.entries()) {
    const place = places[index] ?? { containerUrl };
    const slot = new LeasedSlot(dependencies.clients({ containerUrl }), place, presence, source);
    workers.push(
      await create({
        taskQueue: containerTaskQueue(taskQueue),
        activities: createContainerActivities(dependencies, slot),
        tuner: containerTuner(slot),
        maxConcurrentActivityTaskPolls: 1,
        ...promptHeartbeats,
      }),
    );
  }
  for (const key of dependencies.providers.keys()) {
    workers.push(
      await create({
        taskQueue: providerTaskQueue(config.taskQueue, key),
        activities: createProviderActivities(dependencies),
        maxConcurrentActivityTaskExecutions: config.providerCallsPerWorker,
        ...promptHeartbeats,
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
        void registered.names();
        await Promise.all(workers.map((worker) => worker.run()));
      } finally {
        presence.stop();
        // When no worker of ours would take the limiter's next workflow task and lose it.
        await slotReports.stop();
        await Promise.allSettled(connections.map((connection) => connection.close()));
      }
    },
    stop: () => workers.forEach((worker) => worker.shutdown()),
  };
}
