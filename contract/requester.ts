/**
 * For whom a run uses the workers' secrets. The server records it in the run's memo, which no body of a request can set.
 * Undefined for a run that a Temporal client started without an owner: such a run may use all secrets.
 */
export interface Requester {
  owner?: string;
  /** Set for runs that the server started. */
  isOfServer?: true;
}

/** Memo field of runs that the server started. Payload keys encrypt its value, not its name. */
export const startedByMemo = 'startedBy';

/** The memo of a run that the server starts. */
export function requesterMemo(owner: string | undefined): Record<string, string> {
  return memoOfRequester({ isOfServer: true, ...(owner !== undefined && { owner }) });
}

/** The memo by which another run has the same requester. */
export function memoOfRequester({ owner, isOfServer }: Requester = {}): Record<string, string> {
  return { ...(isOfServer === true && { [startedByMemo]: 'server' }), ...(owner !== undefined && { owner }) };
}

/** `owner`: of the input. The memo takes precedence. */
export function requesterOf(
  memo: Readonly<Record<string, unknown>> | undefined,
  owner: string | undefined,
): Requester | undefined {
  const recorded = memo?.['owner'];
  const name = typeof recorded === 'string' ? recorded : owner;
  const isOfServer = memo?.[startedByMemo] === 'server';
  if (name === undefined && !isOfServer) return undefined;
  return { ...(name !== undefined && { owner: name }), ...(isOfServer && { isOfServer }) };
}
