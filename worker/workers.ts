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
import { isRunOpen } from '../activities/open-run.ts';
import type { RunOfJob } from '../contract/activity.ts';
import {
  containerTaskQueue,
  inspectTaskQueue,
  limiterTaskQueue,
  machineTaskQueue,
  providerTaskQueue,
  webhookTaskQueue,
} from '../contract/task-queues.ts';
import { limiterWorkflowId, type WorkerSlots } from '../contract/limiter.ts';
import { identifyActivity } from './activity-request-id.ts';
import type { WorkerConfig } from './config.ts';
import { LeasedSlot } from './containers/leased-slot.ts';
import { containerPlace } from './containers/place.ts';
import { ContainerPresence } from './containers/presence.ts';
import { taskSource } from './containers/task-source.ts';
import { limitPayloads } from './payload-limit.ts';
import { RegisteredSearchAttributes } from './search-attributes.ts';
import { shutdownGraceSeconds, shutdownTimes } from './shutdown-times.ts';
import { SlotReports } from './slot-reports.ts';
import { describeUnreachedTemporal, isMissingNamespace } from './unreached-temporal.ts';
import type { WorkerTracing } from './worker-tracing.ts';
import { versioningOf } from './worker-versioning.ts';
import { WorkflowSlots } from './workflow-slots.ts';

export interface Workers {
  /**
   * Settles when all workers have stopped and then `lingering` has; rejects as soon as a worker has failed. The SDK's
   * metrics can be read until it settles.
   */
  run(lingering?: () => Promise<void>): Promise<void>;
  /** Equivalent to SIGTERM. */
  stop(): void;
  /** Workers with the task queues that they poll. */
  list(): { taskQueue: string; state: WorkerState; activities: number; workflowTasks: number }[];
  temporalAnswers(): Promise<boolean>;
  isRunOpen(run: RunOfJob, graceMs: number): Promise<boolean>;
}

type WorkerState = ReturnType<Worker['getState']>;

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

/**
 * Maximum age of heartbeats, which show progress in the Web UI, return cancellations, and prove that the worker is
 * alive.
 */
const promptHeartbeats = { maxHeartbeatThrottleInterval: '1s', defaultHeartbeatThrottleInterval: '1s' } as const;

/** Most light activities follow jobs and only wait. */
const lightActivities = 1_000;

/** Sources that a container fetches at a time. */
const inspectionsAtOnce = 32;

/** Each container has such a worker, and a Temporal frontend allows 1,200 polls per namespace (docs/scaling.md). */
const inspectPolls = 2;

/**
 * A frozen worker keeps its polls until the server ends its connection: a minute at a server with the default of
 * `frontend.keepAliveTime`. The server gives each of them a task, which is lost until its timeout.
 * With the usual ten polls, a run beside a frozen worker lost most of this minute. One poll is enough, because it takes
 * milliseconds. SDK 1.24 ignores `maxConcurrentActivityTaskPolls`.
 */
const polls = {
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
  // A fifth of them, the share of `nonStickyToStickyPollRatio`, may take tasks of any run.
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 5 },
} as const;

/** Time until another worker continues a run or a limiter whose worker is lost. */
const stickyQueueScheduleToStartTimeout = '5s';

/** The SDK's default. Each run begins with one. */
const localActivities = 100;

const oneSlot = { type: 'fixed-size', numSlots: 1 } as const;

/** A container's worker runs only its activities. */
function containerTuner(slot: LeasedSlot): WorkerTuner {
  return {
    activityTaskSlotSupplier: slot,
    workflowTaskSlotSupplier: oneSlot,
    localActivityTaskSlotSupplier: oneSlot,
    nexusTaskSlotSupplier: oneSlot,
  };
}

/**
 * Creates the workers of each role. `workflows`: one for workflows and light activities, and one for the limiters.
 * `provider`: one for each provider. `webhooks`: one. `container`: one for each container, and one that follows the
 * jobs of containers on this machine. A container's worker takes a task only while the container is free; the backlog
 * waits at the server.
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
  /** Called only for the role `workflows`. */
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
      // Two workers on one queue in one process need separate connections.
      connection: await connect(),
      namespace,
      ...encryption,
      // The identity counts the workers that share a key's limits.
      identity: `${process.pid}@${hostname()}-${slots.workerId}`,
      ...shutdownTimes(shutdownGraceSeconds),
      interceptors: {
        activity: [
          identifyActivity,
          ...(tracing === undefined ? [] : [tracing.activityInterceptors]),
          ({ info }) => ({ inbound: limitPayloads(info.activityType) }),
        ],
      },
      ...(tracing !== undefined && { sinks: tracing.sinks }),
      ...polls,
      ...options,
    }).catch((error: unknown) => {
      throw isMissingNamespace(error) ? unreachedError(config, error) : error;
    });
    workers.push(worker);
  };
  /** Without a process of this machine to continue it, their work is lost or resumes late. */
  const draining = shutdownTimes(config.drainSeconds);
  const ownConnection = await connect();
  const source = await taskSource(ownConnection, namespace, taskQueue);
  const registered = new RegisteredSearchAttributes(ownConnection, {
    namespace,
    // Search attributes are not encrypted and would reveal what an encrypted history hides.
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
      // A run ends on the build on which it began.
      ...versioningOf(config, VersioningBehavior.PINNED),
      tuner: {
        workflowTaskSlotSupplier: new WorkflowSlots(),
        activityTaskSlotSupplier: { type: 'fixed-size', numSlots: lightActivities },
        localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: localActivities },
        nexusTaskSlotSupplier: oneSlot,
      },
      stickyQueueScheduleToStartTimeout,
      ...promptHeartbeats,
    });
    await add({
      taskQueue: limiterTaskQueue(config.limiterEnvironment),
      workflowBundle: bundle,
      // A limiter never ends, so each new build takes it over.
      ...versioningOf(config, VersioningBehavior.AUTO_UPGRADE),
      stickyQueueScheduleToStartTimeout,
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
    async run(lingering) {
      try {
        try {
          slotReports?.start();
          void registered.names();
          await Promise.all(workers.map((worker) => worker.run()));
        } finally {
          presence.stop();
          // No worker of this process would now take, and lose, the limiter's next workflow task.
          await slotReports?.stop();
        }
        await lingering?.();
      } finally {
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
    isRunOpen: async (run, graceMs) => await isRunOpen(client, run, graceMs),
  };
}
