import { z } from 'zod';

/** What a worker tells of a container that it reaches, as the identity under which it polls the presence queue. */
const ContainerPresenceFacts = z.object({
  /** Address for other workers. */
  containerUrl: z.string(),
  /** The machine that the URL is good on, where it is a loopback address. */
  machine: z.string().optional(),
  /** Holdfast's; missing of a container that does not tell. */
  version: z.string().optional(),
  /** Time at which the worker got its slot or began to wait for it; ISO 8601. */
  since: z.string(),
  worker: z.string(),
  workerVersion: z.string(),
});
export type ContainerPresenceFacts = z.infer<typeof ContainerPresenceFacts>;

export function presenceIdentity(facts: ContainerPresenceFacts): string {
  return JSON.stringify(facts);
}

/** Undefined of another poller, such as a worker that tells nothing of its containers. */
export function readPresenceIdentity(identity: string): ContainerPresenceFacts | undefined {
  try {
    return ContainerPresenceFacts.safeParse(JSON.parse(identity)).data;
  } catch {
    return undefined;
  }
}
