import type { JobLocation } from '../contract/activity.ts';
import type { WorkerSlots } from '../contract/limiter.ts';
import type { ProviderPolicy } from '../contract/provider.ts';
import { chunkActivity } from './container/chunk.ts';
import type { ContainerClients } from './container/client.ts';
import { encodeActivity } from './container/encode.ts';
import { endJob } from './container/end-job.ts';
import type { HeaderVariables } from './container/resolve-headers.ts';
import { sendToLimiterActivity } from './limiter.ts';
import { prepare } from './prepare.ts';
import type { MultipartUploads } from './storage/multipart.ts';
import type { Presigner } from './storage/presign.ts';
import { assembleActivity } from './provider/assemble.ts';
import { processChunkActivity, type ProviderDependencies } from './provider/process-chunk.ts';
import { requireProvider } from './provider/providers.ts';

export interface ActivityDependencies extends ProviderDependencies {
  clients: ContainerClients;
  presigner: Presigner;
  multipart: MultipartUploads;
  headerVariables: HeaderVariables;
}

/** Short ones that need no container to themselves; they share the workflows' queue. */
export function createLightActivities(
  { clients, providers, storage }: Omit<ActivityDependencies, 'presigner' | 'multipart' | 'headerVariables'>,
  slots: WorkerSlots,
) {
  return {
    prepare,
    sendToLimiter: sendToLimiterActivity({ providers, slots }),
    /** What the worker's settings say of these keys, since workflow code reads no settings. */
    async providerPolicies(keys: readonly string[]): Promise<ProviderPolicy[]> {
      return keys.map((key) => requireProvider(providers, key).policy);
    },
    assembleTranscript: assembleActivity({ storage }),
    async cancelJob(location: JobLocation): Promise<void> {
      if (location.jobId !== undefined) await endJob(clients(location.containerUrl), location.jobId);
    },
  };
}

/** The ones that hold the container at `containerUrl`; their worker has one slot. */
export function createContainerActivities(
  { clients, ...rest }: Pick<ActivityDependencies, 'clients' | 'presigner' | 'multipart' | 'headerVariables'>,
  containerUrl: string,
) {
  const dependencies = { own: clients(containerUrl), at: clients, ...rest };
  return { encode: encodeActivity(dependencies), chunk: chunkActivity(dependencies) };
}

/** The ones that call providers; their worker has as many slots as it may make calls at once. */
export function createProviderActivities(dependencies: ProviderDependencies) {
  return { processChunk: processChunkActivity(dependencies) };
}

export type LightActivities = ReturnType<typeof createLightActivities>;
export type ContainerActivities = ReturnType<typeof createContainerActivities>;
export type ProviderActivities = ReturnType<typeof createProviderActivities>;
