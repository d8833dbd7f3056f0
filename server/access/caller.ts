import { ProblemError } from '../problem-error.ts';

export const scopes = ['read', 'run', 'operate'] as const;
export type Scope = (typeof scopes)[number];

/** Who makes a request. */
export interface Caller {
  /** Of its token. */
  id: string;
  scopes: ReadonlySet<Scope>;
  /** Whose runs it sees and starts; undefined: everybody's. */
  owner: string | undefined;
}

/** Where no tokens are set, and the server listens on this machine alone. */
export const anybodyHere: Caller = { id: 'local', scopes: new Set(scopes), owner: undefined };

/** The owner of what the caller starts, or looks for: its own, where it has one. */
export function ownerFor(caller: Caller, wanted: string | undefined): string | undefined {
  if (caller.owner === undefined || wanted === undefined || wanted === caller.owner) return caller.owner ?? wanted;
  throw new ProblemError('forbidden', `This token is for the runs of ${caller.owner}, and not for those of ${wanted}.`);
}
