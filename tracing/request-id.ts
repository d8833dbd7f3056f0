import { AsyncLocalStorage } from 'node:async_hooks';
import { requestIdField, requestIdHeader } from '../contract/request-id.ts';

const current = new AsyncLocalStorage<string | undefined>();

/** Runs work whose log lines and requests to containers carry the id. */
export function withRequestId<Result>(requestId: string, work: () => Result): Result {
  return current.run(requestId, work);
}

/** Runs work that a request has started but that serves all requests. */
export function outsideRequest<Result>(work: () => Result): Result {
  return current.run(undefined, work);
}

/** Header `X-Request-Id` of the current request; empty outside a request. */
export function requestIdHeaders(): Record<string, string> {
  const requestId = current.getStore();
  return requestId === undefined ? {} : { [requestIdHeader]: requestId };
}

/** Field of the current request for a log line. */
export function requestIdFields(): Record<string, string> {
  const requestId = current.getStore();
  return requestId === undefined ? {} : { [requestIdField]: requestId };
}
