import type { JobLocation } from '../contract/activity.ts';
import { chunkActivity } from './chunk.ts';
import type { ContainerClients } from './container-client.ts';
import { encodeActivity } from './encode.ts';
import { endJob } from './end-job.ts';
import { prepare } from './prepare.ts';
import type { Presigner } from './presign.ts';

export interface ActivityDependencies {
  clients: ContainerClients;
  presigner: Presigner;
}

/** Short ones that need no container to themselves; they share the workflows' queue. */
export function lightActivities({ clients }: Pick<ActivityDependencies, 'clients'>) {
  return {
    prepare,
    async cancelJob(location: JobLocation): Promise<void> {
      if (location.jobId !== undefined) await endJob(clients(location.containerUrl), location.jobId);
    },
  };
}

/** The ones that hold the container at `containerUrl`; their worker has one slot. */
export function containerActivities({ clients, presigner }: ActivityDependencies, containerUrl: string) {
  const containers = { own: clients(containerUrl), at: clients, presigner };
  return { encode: encodeActivity(containers), chunk: chunkActivity(containers) };
}

export type LightActivities = ReturnType<typeof lightActivities>;
export type ContainerActivities = ReturnType<typeof containerActivities>;
