import { workflowInfo } from '@temporalio/workflow';
import type { MetadataResult } from '../contract/http/metadata.ts';
import type { InspectInput } from '../contract/workflow/inspect.ts';
import { inspectActivities } from './proxies.ts';

/** The facts of a source. No run: it stands in no line, and is not among the runs. */
export async function inspectSource(input: InspectInput): Promise<MetadataResult> {
  const context = { step: 'inspect', idempotencyKey: `${workflowInfo().firstExecutionRunId}:inspect`, state: {} };
  return await inspectActivities().inspect.executeWithOptions({ summary: 'Look at the source' }, [input, context]);
}
