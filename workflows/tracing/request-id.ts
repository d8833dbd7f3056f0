import { defaultPayloadConverter, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { isRequestId, requestIdField, requestIdHeader } from '../../contract/request-id.ts';

/**
 * Passes the id of the request that started the run, which is in its memo, to activities and child workflows, and to
 * its log lines. Promises are returned unchanged, so that open runs of older versions replay.
 */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleActivity(input, next) {
        const requestId = ownRequestId();
        if (requestId === undefined) return next(input);
        const header = defaultPayloadConverter.toPayload(requestId);
        return next({ ...input, headers: { ...input.headers, [requestIdHeader]: header } });
      },
      startChildWorkflowExecution(input, next) {
        const memo = { ...input.options.memo, ...requestIdFields() };
        return next(Object.keys(memo).length === 0 ? input : { ...input, options: { ...input.options, memo } });
      },
      getLogAttributes: (attributes, next) => next({ ...attributes, ...requestIdFields() }),
    },
  ],
});

function requestIdFields(): Record<string, string> {
  const requestId = ownRequestId();
  return requestId === undefined ? {} : { [requestIdField]: requestId };
}

/** The SDK reads the memo after it has created the interceptors. */
function ownRequestId(): string | undefined {
  const requestId = workflowInfo().memo?.[requestIdField];
  return isRequestId(requestId) ? requestId : undefined;
}
