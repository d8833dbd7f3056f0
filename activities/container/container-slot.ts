import type { ContainerPlace } from '../../contract/activity.ts';
import type { ContainerClient } from './client.ts';

/** The slot of a container, which the activity that submits a job was given with its task. */
export interface ContainerSlot {
  readonly client: ContainerClient;
  /** As other workers find it. */
  readonly place: ContainerPlace;
  /** Under which lease to submit; `turned_away` where the container would have another come first. */
  claim(signal: AbortSignal): Promise<{ lease: string | undefined } | 'turned_away'>;
}
