import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { stemOf } from '../../client/rerun.ts';
import { createRunName } from '../../client/run-name.ts';
import { type RunSettings, startRun } from '../../client/start-run.ts';
import { parseInput } from '../../client/workflow-schemas.ts';
import { payloadProblem } from '../../contract/payload-size.ts';
import type { NewRunRequest } from '../../contract/server/run.ts';
import { requesterMemo } from '../../contract/requester.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import { sortFields } from '../../contract/sort-fields.ts';
import { defaultTaskQueue } from '../../contract/task-queues.ts';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import { type Caller, ownerFor } from '../access/caller.ts';
import type { FileNames } from '../files/file-names.ts';
import { isNotFound, ProblemError } from '../problem-error.ts';
import { type FoundRun, findRun } from './find-run.ts';
import type { RegisteredAttributes } from './registered-attributes.ts';

export interface StartedRun {
  run: FoundRun;
  /** False if an earlier request with the same Idempotency-Key started the run. */
  isNew: boolean;
}

interface Starting {
  client: Client;
  taskQueue: string;
  attributes: RegisteredAttributes;
  names: FileNames;
}

export async function startNewRun(
  { client, taskQueue, attributes, names }: Starting,
  request: NewRunRequest,
  caller: Caller,
  idempotencyKey: string | undefined,
): Promise<StartedRun> {
  const { workflow } = request;
  const folder = randomUUID();
  const missing: ProblemError[] = [];
  const given = parseInput(workflow, await names.resolve(withFields(request), { caller, folder, missing }));
  const owner = ownerFor(caller, given.owner);
  const asked = owner === undefined ? given : { ...given, owner };
  const sourceName = asked.sourceName ?? names.uploadedName(asked.sourceUrl);
  const input = sourceName === undefined ? asked : { ...asked, sourceName };
  const problem = payloadProblem('The input', input);
  if (problem !== undefined) throw new ProblemError('request_too_large', problem);
  const source = sourceName ?? redactUrl(names.showUrl(input.sourceUrl));
  // The digest covers the names that the caller uses, because this folder differs in each request.
  const [startId, digest] = [randomUUID(), digestOf([workflow, names.show(asked, folder)])];
  const workflowId =
    idempotencyKey === undefined
      ? createRunName(workflow, sourceName === undefined ? names.sourceName(input.sourceUrl) : stemOf(sourceName))
      : await idOfKey(client, taskQueue, workflow, [owner ?? null, idempotencyKey]);
  const [gone] = missing;
  try {
    if (gone === undefined) {
      await startRun(client, {
        workflowType: workflow,
        workflowId,
        taskQueue,
        input,
        joins: true,
        summary: markdownLine(source),
        details: 'Started by the server.',
        ...(await settingsOf(attributes, input, { startId, digest })),
      });
    }
  } catch (error) {
    // The run of the same key has ended in the meantime.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  const run = await findRun(client, taskQueue, workflowId, { ...caller, owner }).catch((error: unknown) => {
    throw gone !== undefined && isNotFound(error) ? gone : error;
  });
  const memo = run.description.memo ?? {};
  if (memo['startId'] === startId) return { run, isNew: true };
  // The first run of the key may outlive its uploads.
  if (memo['digest'] === digest) return { run, isNew: false };
  if (gone !== undefined) throw gone;
  throw new ProblemError(
    'idempotency_key_reused',
    `A different request with this Idempotency-Key has started ${workflowId}. Use a new key for each run.`,
  );
}

/** Servers of one namespace may have different queues. Ids of the default queue and of older versions lack the queue. */
async function idOfKey(client: Client, taskQueue: string, workflow: string, key: unknown[]): Promise<string> {
  const idOf = (parts: unknown[]): string => `${workflow}-${digestOf(parts).slice(0, 32)}`;
  const older = idOf(key);
  if (taskQueue === defaultTaskQueue) return older;
  const found = await findRun(client, taskQueue, older, { owner: undefined }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  return found === undefined ? idOf([...key, taskQueue]) : older;
}

/**
 * Sets owner and state at the start, so that the run is found before a worker picks it up. By the memo, workers know
 * whose secrets the run may use.
 */
export async function settingsOf(
  attributes: RegisteredAttributes,
  { owner }: CommonInput,
  memo: Record<string, unknown>,
): Promise<Required<Pick<RunSettings, 'memo' | 'searchAttributes'>>> {
  const usable = await attributes.names();
  const pairs: SearchAttributePair[] = [
    { key: defineSearchAttributeKey('HoldfastState', 'KEYWORD'), value: 'queued' },
    ...(owner === undefined
      ? []
      : [{ key: defineSearchAttributeKey('HoldfastOwner', 'KEYWORD'), value: owner } as const]),
  ];
  return {
    memo: { ...memo, ...requesterMemo(owner) },
    searchAttributes: pairs.filter(({ key }) => usable.has(key.name)),
  };
}

/** Adds the fields that a request may carry beside the input. */
function withFields({ input, owner, priority, webhook }: NewRunRequest): Record<string, unknown> {
  const beside = Object.entries({ owner, priority, webhook }).filter(([, value]) => value !== undefined);
  for (const [name, value] of beside) {
    if (input[name] === undefined || isDeepStrictEqual(input[name], value)) continue;
    const path = `input.${name}`;
    throw new ProblemError(
      'invalid_request',
      `The request is not valid. ${path}: differs from the ${name} beside it.`,
      [{ path, message: `differs from the ${name} beside it` }],
    );
  }
  return { ...input, ...Object.fromEntries(beside) };
}

/** Equal for equal values, whatever the order of their fields. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortFields)).digest('hex');
}

/** Escapes Markdown, because the Web UI renders the summary. */
function markdownLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
    .replaceAll(/[\\`*_[\]<>|!#]/g, String.raw`\$&`)
    .slice(0, 200);
}
