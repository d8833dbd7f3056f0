import type { Client } from '@temporalio/client';
import type { RunRecord } from '../../client/run-record.ts';
import { placeKey, readPresenceIdentity, type ContainerPresenceFacts } from '../../contract/container-presence.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import type { ContainerView } from '../../contract/server/queue.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import { containerPresenceQueue } from '../../contract/task-queues.ts';
import { describeQueue } from './describe-queue.ts';
import type { PollerAges } from './poller-ages.ts';
import type { PendingStep } from '../runs/pending-steps.ts';

export interface Presence {
  /** Number of workers that reach a healthy container. */
  workers: number;
  containers: ContainerPresenceFacts[];
}

/** Reads present containers and workers from the pollers of the presence queue. */
export async function readPresence(client: Client, taskQueue: string, ages: PollerAges): Promise<Presence> {
  const { pollers } = await describeQueue(client, containerPresenceQueue(taskQueue));
  const polls = (pollers ?? []).map(({ identity, lastAccessTime }) => ({
    identity: identity ?? '',
    atMs: Number(lastAccessTime?.seconds) * 1000,
  }));
  const workers = new Set<string>();
  // A container is listed twice after a short absence, or if two workers reach it. The most recent poller wins.
  const containers = new Map<string, ContainerPresenceFacts>();
  for (const { identity } of ages.present(polls)) {
    const facts = readPresenceIdentity(identity);
    workers.add(facts?.worker ?? identity);
    if (facts !== undefined) containers.set(placeKey(facts), facts);
  }
  return { workers: workers.size, containers: [...containers.values()] };
}

/** A step that a container works on, with its run. */
export interface Work {
  run: RunRecord;
  step: Extract<PendingStep, { kind: 'working' }>;
}

/** Containers that are present and containers that are known only by the step that they work on. */
export function containerViews(present: readonly ContainerPresenceFacts[], work: readonly Work[]): ContainerView[] {
  const byPlace = new Map<string, ContainerView>();
  for (const facts of present) {
    const { containerUrl, machine, since, version, workerVersion } = facts;
    byPlace.set(placeKey(facts), {
      containerUrl: redactUrl(containerUrl),
      state: 'ready',
      since,
      workerVersion,
      ...definedFields({ machine, version }),
    });
  }
  for (const { run, step } of work) {
    const { containerUrl, machine, phase, percent } = step;
    const known = byPlace.get(placeKey(step));
    byPlace.set(placeKey(step), {
      ...(known ?? { containerUrl: redactUrl(containerUrl), ...definedFields({ machine }) }),
      state: 'busy',
      since: new Date(step.sinceMs).toISOString(),
      run: {
        id: run.workflowId,
        ...definedFields({ phase, percent }),
      },
    });
  }
  return [...byPlace.values()].toSorted((a, b) => (placeKey(a) < placeKey(b) ? -1 : 1));
}
