import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { isRecord } from '../contract/unknown-values.ts';
import { inputSchemas, type WorkflowInputs, type WorkflowType } from '../contract/workflow/inputs.ts';
import { ClientError } from './client-error.ts';
import { decodePayload } from './decode-payload.ts';
import { describeEncrypted } from './encrypted.ts';
import { createRunName } from './run-name.ts';
import { type RunHandle, type RunSettings, startRun } from './start-run.ts';
import { parseInput } from './workflow-schemas.ts';

export interface Rerun {
  /** Of the input: a JSON Merge Patch (RFC 7396). */
  changes?: Record<string, unknown>;
  /** Who has asked for it: "Started by …." */
  details: string;
  /** What the new run is called after, where it is not the name in the source's URL. */
  sourceName?(sourceUrl: string): string;
  /** More of the new run, as its input wants it. */
  settings?(workflowType: WorkflowType, input: WorkflowInputs[WorkflowType]): Promise<RunSettings>;
}

/** Starts a run with the input and on the task queue of an old one. Its outputs go where the old one's went. */
export async function rerunWorkflow(
  client: Client,
  workflowId: string,
  { changes, details, sourceName = sourceNameOf, settings }: Rerun,
): Promise<RunHandle> {
  const old = client.workflow.getHandle(workflowId);
  const { type, taskQueue } = await old.describe().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new ClientError({ kind: 'run_not_found' }, `Temporal knows no run ${workflowId}.`);
  });
  if (!Object.hasOwn(inputSchemas, type)) {
    throw new ClientError(
      { kind: 'run_not_found' },
      `${workflowId} is a run of the workflow ${type}, which is none of Holdfast's.`,
    );
  }
  const workflowType = type as WorkflowType;
  const before = await readInput(client, workflowId);
  const input = parseInput(workflowType, changes === undefined ? before : mergePatch(before, changes));
  return await startRun(client, {
    workflowType,
    workflowId: createRunName(workflowType, sourceName(input.sourceUrl)),
    taskQueue,
    input,
    summary: `${workflowId} again`,
    details,
    ...(await settings?.(workflowType, input)),
  });
}

/** RFC 7396: objects are merged, null takes a field away, and anything else replaces what was there. */
export function mergePatch(before: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map(Object.entries(isRecord(before) ? before : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** As the first event of its history has it. */
async function readInput(client: Client, workflowId: string): Promise<unknown> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: 1,
  });
  const event = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  try {
    return await decodePayload(client, event?.input?.payloads?.[0]);
  } catch (error) {
    const sentence = describeEncrypted(error);
    throw sentence === undefined ? error : new ClientError({ kind: 'encrypted' }, sentence);
  }
}

/** By which the run is recognised; without its ending. */
export function sourceNameOf(sourceUrl: string): string {
  const [name = ''] = (new URL(sourceUrl).pathname.split('/').at(-1) ?? '').split('.');
  try {
    return decodeURIComponent(name);
  } catch {
    // A % that is one, such as in 100%.wav.
    return name;
  }
}
