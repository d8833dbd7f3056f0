import { Context } from '@temporalio/activity';
import { placeKey, presentMs, readPresenceIdentity } from '../../contract/container-presence.ts';
import type { SpreadSettings } from '../../contract/spread-settings.ts';
import { containerPresenceQueue, describeTaskQueue } from '../../contract/task-queues.ts';

export function spreadSettingsActivity(settings: Omit<SpreadSettings, 'containers'>) {
  return async function spreadSettings(): Promise<SpreadSettings> {
    const containers = await countContainers().catch((error: unknown) => {
      Context.current().log.warn('The Temporal server does not report the containers', { error });
      return undefined;
    });
    return { ...settings, ...(containers !== undefined && { containers }) };
  };
}

/** Counts the containers that workers reach, by the polls of the presence queue. */
async function countContainers(): Promise<number> {
  const { client, info } = Context.current();
  const queue = containerPresenceQueue(info.taskQueue);
  const { pollers } = await describeTaskQueue(client.workflowService, client.options.namespace, queue);
  // Temporal stamps the polls. This worker's clock may differ from Temporal's by minutes.
  const nowMs = info.currentAttemptScheduledTimestampMs;
  const places = new Set<string>();
  for (const { identity, lastAccessTime } of pollers ?? []) {
    const facts = readPresenceIdentity(identity ?? '');
    const isPresent = nowMs - Number(lastAccessTime?.seconds) * 1000 < presentMs;
    if (facts !== undefined && isPresent) places.add(placeKey(facts));
  }
  return places.size;
}
