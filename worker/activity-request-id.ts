import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { isRequestId, requestIdField, requestIdHeader } from '../contract/request-id.ts';
import { withRequestId } from '../tracing/request-id.ts';

/** Runs each activity with the id of the request that started its run, for its log lines and requests to containers. */
export function identifyActivity(): ActivityInterceptors {
  let requestId: string | undefined;
  return {
    inbound: {
      async execute(input, next) {
        const header = input.headers[requestIdHeader];
        const given: unknown = header === undefined ? undefined : defaultPayloadConverter.fromPayload(header);
        if (!isRequestId(given)) return await next(input);
        requestId = given;
        return await withRequestId(given, () => next(input));
      },
    },
    outbound: {
      getLogAttributes: (attributes, next) =>
        next(requestId === undefined ? attributes : { ...attributes, [requestIdField]: requestId }),
    },
  };
}
