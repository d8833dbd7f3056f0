import { ProblemError } from '../problem-error.ts';

export const scopes = ['read', 'run', 'operate'] as const;
export type Scope = (typeof scopes)[number];

export interface Caller {
  /** Identifies the token. */
  id: string;
  scopes: ReadonlySet<Scope>;
  /** Owner whose runs the caller sees and starts; undefined means all owners. */
  owner: string | undefined;
  /** Milliseconds since the epoch, after which the server refuses the token; undefined: never. */
  expiresAtMs?: number;
}

/** The caller when the server needs no token and listens on loopback. */
export const anybodyHere: Caller = { id: 'local', scopes: new Set(scopes), owner: undefined };

/** The owner to start or search runs for. Throws `forbidden` if the caller names another owner than its own. */
export function ownerFor(caller: Caller, wanted: string | undefined): string | undefined {
  if (caller.owner === undefined || wanted === undefined || wanted === caller.owner) return caller.owner ?? wanted;
  throw new ProblemError('forbidden', `This token may use runs of ${caller.owner}, but not of ${wanted}.`);
}
