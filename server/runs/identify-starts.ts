import type { WorkflowClientInterceptor } from '@temporalio/client';
import { requestIdFields } from '../../tracing/request-id.ts';

/**
 * Records in the memo of each run which request started it. The log lines of the run and of its jobs then carry the id
 * of the request.
 */
export const identifyStarts: WorkflowClientInterceptor = {
  async startWithDetails({ options, ...input }, next) {
    return await next({ ...input, options: { ...options, memo: { ...options.memo, ...requestIdFields() } } });
  },
};
