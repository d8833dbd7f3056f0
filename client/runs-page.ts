import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { RunFilter } from '../contract/server/run-state.ts';
import { ClientError } from './client-error.ts';
import { readRunRecord, type RunRecord } from './run-record.ts';
import { asSearchRefusal } from './search-refusal.ts';
import { allOf, quote, runConditions } from './visibility-query.ts';

export interface RunsPageOptions {
  taskQueue: string;
  state?: RunFilter | undefined;
  owner?: string | undefined;
  /** The start of an id, or words of the source's URL. */
  words?: string | undefined;
  /** A format or preset of one of the outputs, such as `mp3_128`. */
  format?: string | undefined;
  startedSince?: Date | undefined;
  startedBefore?: Date | undefined;
  endedSince?: Date | undefined;
  endedBefore?: Date | undefined;
  cursor?: string | undefined;
  limit: number;
}

/** A page of the runs of a task queue: open runs first, then ended ones, newest first. Asks no worker. */
export async function listRunsPage(
  client: Client,
  options: RunsPageOptions,
): Promise<{ runs: RunRecord[]; nextCursor?: string }> {
  const { cursor, limit } = options;
  const query = runsQuery(options);
  const nextPageToken = cursor === undefined ? undefined : pageTokenOf(query, cursor);
  try {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query,
      pageSize: limit,
      ...(nextPageToken !== undefined && { nextPageToken }),
    });
    // MySQL compares texts without case: a query for anna also finds runs of Anna.
    const isWanted = ({ owner }: RunRecord): boolean => options.owner === undefined || owner === options.owner;
    const runs = (page.executions ?? []).map(readRunRecord).filter(isWanted);
    const next = page.nextPageToken ?? new Uint8Array();
    return next.length === 0 ? { runs } : { runs, nextCursor: cursorOf(query, next) };
  } catch (error) {
    throw asSearchRefusal(error, query);
  }
}

/** Number of runs that match. Temporal counts approximately if runs change meanwhile. */
export async function countRuns(client: Client, filters: Omit<RunsPageOptions, 'cursor' | 'limit'>): Promise<number> {
  const query = runsQuery(filters);
  try {
    return (await client.workflow.count(query)).count;
  } catch (error) {
    throw asSearchRefusal(error, query);
  }
}

/** Adds a checksum, because Temporal treats a broken token as the first page or as an internal error. */
function cursorOf(query: string, pageToken: Uint8Array): string {
  const checksum = createHash('sha256').update(query).update('\0').update(pageToken).digest().subarray(0, 9);
  return Buffer.concat([checksum, pageToken]).toString('base64url');
}

function pageTokenOf(query: string, cursor: string): Uint8Array {
  const pageToken = Buffer.from(cursor, 'base64url').subarray(9);
  if (cursorOf(query, pageToken) === cursor) return pageToken;
  throw new ClientError({ kind: 'invalid_input' }, 'cursor: must be the nextCursor of a page with the same filters.');
}

/** Query in Temporal's list filter syntax (https://docs.temporal.io/list-filter). */
export function runsQuery(options: Omit<RunsPageOptions, 'cursor' | 'limit'>): string {
  const { taskQueue, state, owner, words, format, startedSince, startedBefore, endedSince, endedBefore } = options;
  return allOf([
    ...runConditions(taskQueue),
    ...(state === undefined ? [] : [stateConditions[state]]),
    ...(owner === undefined ? [] : [`HoldfastOwner = ${quote(owner)}`]),
    ...(words === undefined ? [] : [wordsCondition(words)]),
    ...(format === undefined ? [] : [`HoldfastFormats = ${quote(format)}`]),
    ...(startedSince === undefined ? [] : [`StartTime >= ${quote(startedSince.toISOString())}`]),
    ...(startedBefore === undefined ? [] : [`StartTime < ${quote(startedBefore.toISOString())}`]),
    ...(endedSince === undefined ? [] : [`CloseTime >= ${quote(endedSince.toISOString())}`]),
    ...(endedBefore === undefined ? [] : [`CloseTime < ${quote(endedBefore.toISOString())}`]),
  ]);
}

/** A terminated run keeps its last `HoldfastState`. */
const stateConditions: Record<RunFilter, string> = {
  active: `ExecutionStatus = 'Running'`,
  ended: `ExecutionStatus != 'Running'`,
  queued: `ExecutionStatus = 'Running' AND HoldfastState = 'queued'`,
  running: `ExecutionStatus = 'Running' AND HoldfastState = 'running'`,
  waiting: `ExecutionStatus = 'Running' AND HoldfastState = 'waiting'`,
  // A run with failed chunks completes with a result.
  succeeded: `ExecutionStatus = 'Completed' AND (HoldfastState IS NULL OR HoldfastState != 'failed')`,
  failed: `ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated') OR (ExecutionStatus = 'Completed' AND HoldfastState = 'failed')`,
  cancelled: `ExecutionStatus = 'Canceled'`,
};

/**
 * Splits words as `searchableText` does: some stores split text at every character except letters and digits, others
 * compare it unsplit.
 */
function wordsCondition(words: string): string {
  const found = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const inSource = found.map((word) => `HoldfastSource = ${quote(word)}`);
  // Temporal trims quotes from a value. Quotes alone would become an empty prefix, with which every id starts.
  const byId = `WorkflowId ${/^'+$/.test(words) ? '=' : 'STARTS_WITH'} ${quote(words)}`;
  return inSource.length === 0 ? byId : `${byId} OR ${allOf(inSource)}`;
}
