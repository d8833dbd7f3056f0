import type { ContainerPlace, JobLocation } from '../contract/activity.ts';
import type { WorkerSlots } from '../contract/limiter.ts';
import type { ProviderNeeds, ProviderPolicy } from '../contract/provider.ts';
import type { Requester } from '../contract/requester.ts';
import type { SearchAttributeName } from '../contract/search-attributes.ts';
import type { SpreadSettings } from '../contract/spread-settings.ts';
import { chunkActivity } from './container/chunk.ts';
import type { ContainerClients } from './container/client.ts';
import { findEarlierActivity } from './earlier-chunks.ts';
import { encodeActivity } from './container/encode.ts';
import type { ContainerSlot } from './container/container-slot.ts';
import { endJob } from './container/end-job.ts';
import { inspectActivity } from './container/inspect.ts';
import { followJobActivity } from './container/follow-job.ts';
import type { Secrets } from './secrets.ts';
import { sendToLimiterActivity } from './limiter.ts';
import { prepareActivity } from './prepare.ts';
import { removeSegmentsActivity } from './spread/remove-segments.ts';
import { spreadSettingsActivity } from './spread/settings.ts';
import type { Stores } from '../stores/backends.ts';
import { assembleActivity } from './provider/assemble.ts';
import { processChunkActivity, type ProviderDependencies } from './provider/process-chunk.ts';
import { sendWebhookActivity, type WebhookSettings } from './webhook/send-webhook.ts';
import { requireProvider } from './provider/providers.ts';

export interface ActivityDependencies extends ProviderDependencies {
  clients: ContainerClients;
  stores: Stores;
  /** Variables that headers of an input may name, by their full names. */
  headerVariables: Secrets;
  /** Keys that the encryption of an input may name, by their names in capitals. */
  packageKeys: Secrets;
  webhooks: WebhookSettings;
  spread: Omit<SpreadSettings, 'containers'>;
}

/** Short activities that need no container slot; they share the workflows' task queue. */
export function createLightActivities(
  dependencies: Omit<ActivityDependencies, 'headerVariables' | 'packageKeys' | 'webhooks'> & {
    /** Undefined if other workers send webhooks and know the secrets. */
    webhooks: WebhookSettings | undefined;
  },
  {
    slots,
    searchAttributes,
  }: {
    /** Undefined if other workers call the providers. */
    slots: WorkerSlots | undefined;
    searchAttributes: () => Promise<SearchAttributeName[]>;
  },
) {
  const { providers, storage, webhooks } = dependencies;
  return {
    prepare: prepareActivity(webhooks, dependencies.stores),
    /** Search attributes of the server, which workflow code cannot query. */
    registeredSearchAttributes: searchAttributes,
    sendToLimiter: sendToLimiterActivity({ providers, slots }),
    /** Settings of these keys, which workflow code cannot read. */
    async providerPolicies(
      keys: readonly string[],
      requester?: Requester,
      needs?: ProviderNeeds,
    ): Promise<ProviderPolicy[]> {
      return keys.map((key) => requireProvider(providers, key, requester, needs).policy);
    },
    ...createFollowerActivities(dependencies),
    spreadSettings: spreadSettingsActivity(dependencies.spread),
    removeSegments: removeSegmentsActivity({ storage }),
    assembleTranscript: assembleActivity({ storage }),
    findEarlierChunks: findEarlierActivity({ storage }),
  };
}

/** Activities that reach a job where it runs. */
export function createFollowerActivities(dependencies: Pick<ActivityDependencies, 'clients' | 'stores'>) {
  return {
    followJob: followJobActivity(dependencies),
    async cancelJob(location: JobLocation): Promise<void> {
      await endJob(dependencies.clients, location);
    },
  };
}

/** Activities that submit a job to a container; their worker has a slot while the container has one. */
export function createContainerActivities(
  dependencies: Pick<ActivityDependencies, 'clients' | 'stores' | 'headerVariables' | 'packageKeys' | 'storage'>,
  slot: ContainerSlot,
) {
  const submitting = { ...dependencies, slot };
  return { encode: encodeActivity(submitting), chunk: chunkActivity(submitting) };
}

/** Activities that use any container of the worker and need no slot. */
export function createInspectActivities(
  dependencies: Pick<ActivityDependencies, 'clients' | 'stores' | 'headerVariables'>,
  places: ReadonlyMap<string, ContainerPlace>,
) {
  return { inspect: inspectActivity(dependencies, places) };
}

export function createWebhookActivities({ webhooks }: Pick<ActivityDependencies, 'webhooks'>) {
  return { sendWebhook: sendWebhookActivity(webhooks) };
}

/** Activities that call providers; their worker has a slot per concurrent call. */
export function createProviderActivities(dependencies: ProviderDependencies) {
  return { processChunk: processChunkActivity(dependencies) };
}

export type LightActivities = ReturnType<typeof createLightActivities>;
export type FollowerActivities = ReturnType<typeof createFollowerActivities>;
export type ContainerActivities = ReturnType<typeof createContainerActivities>;
export type ProviderActivities = ReturnType<typeof createProviderActivities>;
export type InspectActivities = ReturnType<typeof createInspectActivities>;
export type WebhookActivities = ReturnType<typeof createWebhookActivities>;
