import { workflowInfo } from '@temporalio/workflow';
import type { MetadataResult } from '../contract/http/metadata.ts';
import { requesterOf } from '../contract/requester.ts';
import type { InspectInput } from '../contract/workflow/inspect.ts';
import { inspectActivities } from './proxies.ts';

/** Inspects a source for a caller who waits. It has no status, jobs or retries, and is not listed among the runs. */
export async function inspectSource(input: InspectInput): Promise<MetadataResult> {
  const { firstExecutionRunId, memo } = workflowInfo();
  const requester = requesterOf(memo, undefined);
  const context = {
    step: 'inspect',
    idempotencyKey: `${firstExecutionRunId}:inspect`,
    state: {},
    ...(requester !== undefined && { requester }),
  };
  return await inspectActivities().inspect.executeWithOptions({ summary: 'Inspect the source' }, [input, context]);
}
