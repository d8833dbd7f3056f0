import { z } from 'zod';
import { parseJson } from './unknown-values.ts';

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

/** Undefined for other pollers, such as a worker that does not report its containers. */
export function readPresenceIdentity(identity: string): ContainerPresenceFacts | undefined {
  return ContainerPresenceFacts.safeParse(parseJson(identity)).data;
}
