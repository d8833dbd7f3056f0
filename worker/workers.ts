import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Client } from '@temporalio/client';
import { VersioningBehavior } from '@temporalio/common';
import { NativeConnection, Runtime, Worker, type WorkerOptions, type WorkerTuner } from '@temporalio/worker';
import {
  type ActivityDependencies,
  createContainerActivities,
  createFollowerActivities,
  createInspectActivities,
  createLightActivities,
  createProviderActivities,
  createWebhookActivities,
} from '../activities/index.ts';
import {
  containerTaskQueue,
  inspectTaskQueue,
  limiterTaskQueue,
  machineTaskQueue,
  providerTaskQueue,
  webhookTaskQueue,
} from '../contract/task-queues.ts';
import { limiterWorkflowId, type WorkerSlots } from '../contract/limiter.ts';
import type { WorkerConfig } from './config.ts';
import { LeasedSlot } from './containers/leased-slot.ts';
import { containerPlace } from './containers/place.ts';
import { ContainerPresence } from './containers/presence.ts';
import { taskSource } from './containers/task-source.ts';
import { limitPayloads } from './payload-limit.ts';
import { RegisteredSearchAttributes } from './search-attributes.ts';
import { SlotReports } from './slot-reports.ts';
import { describeUnreachedTemporal, isMissingNamespace } from './unreached-temporal.ts';
import type { WorkerTracing } from './worker-tracing.ts';

export interface Workers {
  /** Settles when all of them have stopped; rejects as soon as one has failed. */
  run(): Promise<void>;
  /** What SIGTERM does. */
  stop(): void;
  /** Each with the task queue that it polls. */
  list(): { taskQueue: string; state: WorkerState; activities: number; workflowTasks: number }[];
  temporalAnswers(): Promise<boolean>;
}

type WorkerState = ReturnType<Worker['getState']>;

/** Time for short activities to end by themselves on SIGTERM; those that wait go on at the next worker. */
const shutdownGraceSeconds = 5;
/** After that, something hangs that no grace helps. */
const forceAfterSeconds = 15;

function shutdownTimes(graceSeconds: number): Pick<WorkerOptions, 'shutdownGraceTime' | 'shutdownForceTime'> {
  return { shutdownGraceTime: `${graceSeconds}s`, shutdownForceTime: `${graceSeconds + forceAfterSeconds}s` };
}

async function connectToTemporal({
  connection,
  namespace,
}: Pick<WorkerConfig, 'connection' | 'namespace'>): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(connection);
  } catch (error) {
    throw unreachedError({ connection, namespace }, error);
  }
}

function unreachedError(
  { connection, namespace }: Pick<WorkerConfig, 'connection' | 'namespace'>,
  cause: unknown,
): Error {
  return new Error(describeUnreachedTemporal(connection.address ?? 'localhost:7233', namespace, cause), { cause });
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

/** A container fetches 32 sources at a time. */
const inspectionsAtOnce = 32;

/**
 * There is a worker of this for each container, and a frontend of Temporal keeps 1,200 polls of a namespace by default (docs/scaling.md).
 * Said as a poller behavior: SDK 1.24 reads `maxConcurrentActivityTaskPolls` no more, and polls ten times.
 */
const inspectPolls = 2;

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
 * For the role `workflows` one worker for the workflows and the light activities, and one for the limiters of all workers; for
 * `provider` one for each provider's calls; for `webhooks` one; for `container` one for each container, and where they are this
 * machine's own one for their jobs. A container's takes a task only when the container is free: a backlog waits at the server.
 */
export async function createWorkers(
  config: Pick<
    WorkerConfig,
    | 'roles'
    | 'drainSeconds'
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
  /** Asked for by the role `workflows` alone. */
  workflowBundle: () => Promise<{ codePath: string }>,
  tracing?: WorkerTracing,
): Promise<Workers> {
  const { roles, namespace, taskQueue, containerUrls, advertisedAddress } = config;
  const connections: NativeConnection[] = [];
  const encryption = config.dataConverter === undefined ? {} : { dataConverter: config.dataConverter };
  const slots: WorkerSlots = { workerId: randomUUID(), slots: config.providerCallsPerWorker };
  const connect = async () => {
    const connection = await connectToTemporal(config);
    connections.push(connection);
    return connection;
  };
  const workers: Worker[] = [];
  const add = async (options: WorkerOptions) => {
    const worker = await Worker.create({
      // Two workers on one queue in one process each need a connection of their own.
      connection: await connect(),
      namespace,
      ...encryption,
      // The workers that share a key's limits are counted by it.
      identity: `${process.pid}@${hostname()}-${slots.workerId}`,
      ...shutdownTimes(shutdownGraceSeconds),
      interceptors: {
        activity: [
          ...(tracing === undefined ? [] : [tracing.activityInterceptors]),
          ({ info }) => ({ inbound: limitPayloads(info.activityType) }),
        ],
      },
      ...(tracing !== undefined && { sinks: tracing.sinks }),
      ...options,
    }).catch((error: unknown) => {
      throw isMissingNamespace(error) ? unreachedError(config, error) : error;
    });
    workers.push(worker);
  };
  /** What they do is lost, or joined late, where nobody of this machine goes on with it. */
  const draining = shutdownTimes(config.drainSeconds);
  const ownConnection = await connect();
  const source = await taskSource(ownConnection, namespace, taskQueue);
  const registered = new RegisteredSearchAttributes(ownConnection, {
    namespace,
    // They are not encrypted, and what an encrypted history hides must not stand beside it.
    leftOut: config.dataConverter === undefined ? [] : ['HoldfastSource', 'HoldfastFormats'],
    warn: (sentence) => Runtime.instance().logger.warn(sentence),
  });
  if (roles.has('workflows')) {
    const bundle = await workflowBundle();
    await add({
      taskQueue,
      workflowBundle: bundle,
      activities: createLightActivities(
        { ...dependencies, webhooks: roles.has('webhooks') ? dependencies.webhooks : undefined },
        { slots: roles.has('provider') ? slots : undefined, searchAttributes: () => registered.names() },
      ),
      // A run ends on the build that it began on.
      ...versioningOf(config, VersioningBehavior.PINNED),
      maxConcurrentActivityTaskExecutions: lightActivities,
      stickyQueueScheduleToStartTimeout,
      ...promptHeartbeats,
    });
    await add({
      taskQueue: limiterTaskQueue(config.limiterEnvironment),
      workflowBundle: bundle,
      // A limiter never ends, so each new build takes it over.
      ...versioningOf(config, VersioningBehavior.AUTO_UPGRADE),
    });
  }
  const places = new Map(containerUrls.map((url) => [url, containerPlace(url, advertisedAddress)]));
  const presence = new ContainerPresence(ownConnection, namespace, taskQueue, places);
  if (roles.has('container')) {
    if ([...places.values()].some(({ machine }) => machine !== undefined)) {
      await add({
        taskQueue: machineTaskQueue(taskQueue, advertisedAddress.machine),
        activities: createFollowerActivities(dependencies),
        maxConcurrentActivityTaskExecutions: lightActivities,
        ...promptHeartbeats,
        ...draining,
      });
    }
    await add({
      taskQueue: inspectTaskQueue(taskQueue),
      activities: createInspectActivities(dependencies, places),
      maxConcurrentActivityTaskExecutions: inspectionsAtOnce,
      activityTaskPollerBehavior: { type: 'simple-maximum', maximum: inspectPolls },
      ...promptHeartbeats,
    });
    for (const [containerUrl, place] of places) {
      const slot = new LeasedSlot(dependencies.clients({ containerUrl }), place, presence, source);
      await add({
        taskQueue: containerTaskQueue(taskQueue),
        activities: createContainerActivities(dependencies, slot),
        tuner: containerTuner(slot),
        activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
        ...promptHeartbeats,
        ...draining,
      });
    }
  }
  if (roles.has('provider')) {
    for (const key of dependencies.providers.keys()) {
      await add({
        taskQueue: providerTaskQueue(taskQueue, key),
        activities: createProviderActivities(dependencies),
        maxConcurrentActivityTaskExecutions: config.providerCallsPerWorker,
        ...promptHeartbeats,
        ...draining,
      });
    }
  }
  if (roles.has('webhooks')) {
    await add({ taskQueue: webhookTaskQueue(taskQueue), activities: createWebhookActivities(dependencies) });
  }
  const client = new Client({ connection: ownConnection, namespace, ...encryption });
  const limiterIds = [...dependencies.providers.values()].map(({ policy }) =>
    limiterWorkflowId(policy.environment, policy.key),
  );
  const slotReports = roles.has('provider') ? new SlotReports(client, limiterIds, slots) : undefined;
  return {
    async run() {
      try {
        slotReports?.start();
        void registered.names();
        await Promise.all(workers.map((worker) => worker.run()));
      } finally {
        presence.stop();
        // When no worker of ours would take the limiter's next workflow task and lose it.
        await slotReports?.stop();
        await Promise.allSettled(connections.map((connection) => connection.close()));
      }
    },
    stop: () => workers.forEach((worker) => worker.shutdown()),
    list: () =>
      workers.map((worker) => {
        const { runState, numInFlightActivities, numInFlightWorkflowActivations } = worker.getStatus();
        return {
          taskQueue: worker.options.taskQueue ?? '',
          state: runState,
          activities: numInFlightActivities,
          workflowTasks: numInFlightWorkflowActivations,
        };
      }),
    temporalAnswers: () => source.answers(),
  };
}
