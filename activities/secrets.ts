import type { Requester } from '../contract/requester.ts';

/** A secret of the worker, with the origins and owners for which it may be used. */
export interface BoundSecret<Value = string> {
  value: Value;
  /** The only origins to which the secret is sent; undefined if the setting is unset. */
  origins?: ReadonlySet<string>;
  /** The only owners who may use the secret; undefined if the setting is unset. */
  owners?: ReadonlySet<string>;
}

export type Secrets<Value = string> = ReadonlyMap<string, BoundSecret<Value>>;

interface SecretUse {
  requester: Requester | undefined;
  /** URL to whose origin the secret is sent; undefined for a secret that is sent nowhere. */
  url?: string;
}

/**
 * Undefined for unknown names and for forbidden uses. Callers answer both identically, because the difference would
 * reveal which secrets exist.
 */
export function findSecret<Value>(secrets: Secrets<Value>, name: string, use: SecretUse): Value | undefined {
  const secret = secrets.get(name);
  return secret !== undefined && maySend(secret, use) && mayUse(secret, use) ? secret.value : undefined;
}

/** A secret without origins goes where a run says only if a Temporal client started this run without an owner. */
function maySend({ origins }: BoundSecret<unknown>, { requester, url }: SecretUse): boolean {
  if (url === undefined) return true;
  if (origins === undefined) return requester === undefined;
  return URL.canParse(url) && origins.has(new URL(url).origin);
}

function mayUse({ owners }: BoundSecret<unknown>, { requester }: SecretUse): boolean {
  return requester?.owner === undefined || owners?.has(requester.owner) === true;
}
