import type { ContainerPlace } from '../../contract/activity.ts';
import type { ContainerClient } from './client.ts';

/** The container slot that a submitting activity received with its task. */
export interface ContainerSlot {
  readonly client: ContainerClient;
  /** Address of the container for other workers. */
  readonly place: ContainerPlace;
  /** Returns the lease for the submission, or `turned_away` if another job comes first. */
  claim(signal: AbortSignal): Promise<{ lease: string | undefined } | 'turned_away'>;
}
