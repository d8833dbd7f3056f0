import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { isRecord } from '../contract/unknown-values.ts';
import { decodedPart } from '../contract/url-part.ts';
import { inputSchemas, type WorkflowInputs, type WorkflowType } from '../contract/workflow/inputs.ts';
import { ClientError } from './client-error.ts';
import { decodePayload } from './decode-payload.ts';
import { describeEncrypted } from './encrypted.ts';
import { createRunName } from './run-name.ts';
import { type RunHandle, type RunSettings, startRun } from './start-run.ts';
import { parseInput } from './workflow-schemas.ts';

export interface Rerun {
  /** JSON Merge Patch (RFC 7396) for the input. */
  changes?: Record<string, unknown>;
  /** Who requested the run: "Started by …." */
  details: string;
  /** The media folder that the containers of the run read, if this process sees it. */
  mediaRoot: string | undefined;
  /** Name for the new run; by default the name in the source's URL. */
  sourceName?(sourceUrl: string): string;
  settings?(workflowType: WorkflowType, input: WorkflowInputs[WorkflowType]): Promise<RunSettings>;
}

/** Starts a run with the input and task queue of an old run. The outputs go to the same places. */
export async function rerunWorkflow(
  client: Client,
  workflowId: string,
  { changes, details, mediaRoot, sourceName = sourceNameOf, settings }: Rerun,
): Promise<RunHandle> {
  const old = client.workflow.getHandle(workflowId);
  const { type, taskQueue } = await old.describe().catch((error: unknown) => throwUndescribed(error, workflowId));
  if (!Object.hasOwn(inputSchemas, type)) {
    throw new ClientError(
      { kind: 'run_not_found' },
      `${workflowId} is a run of the workflow ${type}, which Holdfast does not provide.`,
    );
  }
  const workflowType = type as WorkflowType;
  const before = await readInput(client, workflowId);
  const input = parseInput(workflowType, changes === undefined ? before : mergePatch(before, ofOneSource(changes)));
  const name = input.sourceName === undefined ? sourceName(input.sourceUrl) : stemOf(input.sourceName);
  if (mediaRoot !== undefined) assertSourceExists(input.sourceUrl, mediaRoot, input.sourceName ?? name);
  return await startRun(client, {
    workflowType,
    workflowId: createRunName(workflowType, name),
    taskQueue,
    input,
    summary: `${workflowId} again`,
    details,
    ...(await settings?.(workflowType, input)),
  });
}

/** Throws the reason why a run cannot be described. Its memo may be encrypted. */
export function throwUndescribed(error: unknown, workflowId: string): never {
  if (!(error instanceof WorkflowNotFoundError)) throw encryptedError(error) ?? error;
  throw new ClientError({ kind: 'run_not_found' }, `Temporal has no run ${workflowId}.`);
}

function encryptedError(error: unknown): ClientError | undefined {
  const sentence = describeEncrypted(error);
  return sentence === undefined ? undefined : new ClientError({ kind: 'encrypted' }, sentence);
}

/** A local source may have been a copy that was deleted at the end of its run. */
function assertSourceExists(sourceUrl: string, mediaRoot: string, name: string): void {
  if (!sourceUrl.startsWith(`${pathToFileURL(mediaRoot).href}/`) || existsSync(new URL(sourceUrl))) return;
  throw new ClientError(
    { kind: 'source_gone' },
    `The run cannot be repeated, because "${name}" is no longer in the media folder. Start a new run with the file.`,
  );
}

/** The name of the old source does not belong to another one. */
function ofOneSource(changes: Record<string, unknown>): Record<string, unknown> {
  return 'sourceUrl' in changes ? { sourceName: null, ...changes } : changes;
}

/** RFC 7396: objects are merged, null removes a field, and any other value replaces the old one. */
export function mergePatch(before: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map(Object.entries(isRecord(before) ? before : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Reads the input from the first event of the history. Without a run id it is that of the latest run. */
export async function readInput(client: Client, workflowId: string, runId?: string): Promise<unknown> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, ...(runId !== undefined && { runId }) },
    maximumPageSize: 1,
  });
  const event = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  try {
    return await decodePayload(client, event?.input?.payloads?.[0]);
  } catch (error) {
    throw encryptedError(error) ?? error;
  }
}

/** Name of a file without its extension. */
export function stemOf(fileName: string): string {
  return fileName.replace(/(?<=.)\.[^.]*$/u, '');
}

/** File name in the URL without its extension. */
export function sourceNameOf(sourceUrl: string): string {
  const [name = ''] = (new URL(sourceUrl).pathname.split('/').at(-1) ?? '').split('.');
  return decodedPart(name);
}
