import type { Client } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { describeFailure, failureTypeOf } from '../../client/failure.ts';
import { buildRunUrl } from '../../client/run-url.ts';
import { readUsage } from '../../client/run-usage.ts';
import { parseOutcome } from '../../client/workflow-schemas.ts';
import { costOf, type Prices } from '../../contract/prices.ts';
import type { RunDetails } from '../../contract/server/run.ts';
import { redactUrlsIn } from '../../contract/shown-url.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import type { RunUsage } from '../../contract/usage.ts';
import type { Caller } from '../access/caller.ts';
import type { FileNames } from '../files/file-names.ts';
import { linkRunArchives } from '../files/run-archives.ts';
import { type FileLinks, linkRunFiles } from '../files/run-files.ts';
import type { FoundRun } from './find-run.ts';
import { readRunHistory } from './read-history.ts';
import { runView } from './run-view.ts';
import { buildTimeline } from './timeline.ts';

export async function readRunDetails(
  client: Client,
  { record, description }: FoundRun,
  live: Parameters<typeof runView>[1],
  { names, links, prices, uiUrl }: { names: FileNames; links: FileLinks; prices: Prices; uiUrl: string | undefined },
  caller: Caller,
): Promise<RunDetails> {
  const { workflowId, runId } = record;
  const [history, usage, end] = await Promise.all([
    readRunHistory(client, workflowId, runId),
    readUsage(client, record),
    record.ending === undefined ? undefined : readOutcome(client, record, caller.owner === undefined),
  ]);
  const changed = description.memo?.['priority'];
  const priority = typeof changed === 'number' ? changed : description.priority?.priorityKey;
  const ended = { id: workflowId, runId, input: history.input, result: end?.result };
  const [files, archives] = await Promise.all([linkRunFiles(links, ended, caller), linkRunArchives(links, ended)]);
  const input = withoutSecrets(names.show(history.input));
  return {
    ...runView(record, live, names),
    ...(priority !== undefined && priority > 0 && { priority }),
    input: isRecord(input) ? input : {},
    timeline: buildTimeline(history.events),
    timelineComplete: history.isComplete,
    ...names.show(end),
    ...(caller.owner === undefined && caller.scopes.has('operate') && containersOf(live)),
    ...(usage !== undefined && { usage: withCost(usage, prices) }),
    files,
    archives,
    ...(uiUrl !== undefined && { webUrl: buildRunUrl(uiUrl, client.options.namespace, workflowId, runId) }),
  };
}

/** The addresses of containers are only for operators without an owner. */
function containersOf({ status }: Parameters<typeof runView>[1]): Pick<RunDetails, 'containers'> {
  const found = (status?.steps ?? []).flatMap(({ id, container }) =>
    container === undefined ? [] : [[id, container]],
  );
  return found.length === 0 ? {} : { containers: Object.fromEntries(found) };
}

function withCost(usage: RunUsage, prices: Prices): NonNullable<RunDetails['usage']> {
  const cost = costOf(usage, prices);
  return cost === undefined ? usage : { ...usage, cost, currency: prices.currency };
}

/** Reads the result or failure from the close event, without a query to a worker. Owners see no address of a container. */
export async function readOutcome(
  client: Client,
  { workflowId, runId, workflowType }: FoundRun['record'],
  namesContainer = false,
): Promise<Pick<RunDetails, 'result' | 'failure'>> {
  try {
    return { result: parseOutcome(workflowType, await client.workflow.getHandle(workflowId, runId).result()) };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const type = failureTypeOf(error);
    const message = redactUrlsIn(describeFailure(error, namesContainer));
    return { failure: { message, ...(type !== undefined && { type }) } };
  }
}

/** Redacts URLs, because the query of a presigned URL gives access to its object. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactUrlsIn(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutSecrets(field)]));
}
