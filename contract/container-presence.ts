import { z } from 'zod';
import { parseJson } from './unknown-values.ts';

/** Longest interval between polls of a worker that reaches a container. */
export const presencePollMs = 8_000;
/** A poller counts for three polls. Temporal lists it for five minutes, even if its worker is gone. */
export const presentMs = 25_000;

/** Facts about a container that a worker reports as its identity when it polls the presence queue. */
const ContainerPresenceFacts = z.object({
  /** Address for other workers. */
  containerUrl: z.string(),
  /** Machine on which a loopback URL is valid. */
  machine: z.string().optional(),
  /** Version of Holdfast; undefined if the container does not report it. */
  version: z.string().optional(),
  /** Time at which the worker got its slot or began to wait for it, ISO 8601. */
  since: z.string(),
  worker: z.string(),
  workerVersion: z.string(),
});
export type ContainerPresenceFacts = z.infer<typeof ContainerPresenceFacts>;

export function presenceIdentity(facts: ContainerPresenceFacts): string {
  return JSON.stringify(facts);
}

/** Identifies a container among those of all machines. */
export function placeKey({
  containerUrl,
  machine = '',
}: {
  containerUrl: string;
  machine?: string | undefined;
}): string {
  return `${machine} ${containerUrl}`;
}

/** Undefined for other pollers, such as a worker that does not report its containers. */
export function readPresenceIdentity(identity: string): ContainerPresenceFacts | undefined {
  return ContainerPresenceFacts.safeParse(parseJson(identity)).data;
}
