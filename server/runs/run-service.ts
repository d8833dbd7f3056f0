import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { rerunWorkflow } from '../../client/rerun.ts';
import { listRunsPage } from '../../client/runs-page.ts';
import type { NewRunRequest, RunDetails, RunsPage, RunsQuery, RunView } from '../../contract/server/run.ts';
import { type Caller, ownerFor } from '../access/caller.ts';
import type { FileNames } from '../files/file-names.ts';
import type { MediaLinks } from '../files/media-links.ts';
import { ProblemError, shownId } from '../problem-error.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { findRun } from './find-run.ts';
import type { LiveStatuses } from './live-statuses.ts';
import type { RegisteredAttributes } from './registered-attributes.ts';
import { readRunDetails } from './run-details.ts';
import { runView } from './run-view.ts';
import { settingsOf, startNewRun } from './start-run.ts';

/** A list does not wait longer for what workers tell of its runs. */
const listWaitMs = 60;
/** One run is worth a wait. */
const detailsWaitMs = 1_000;

export interface RunServiceOptions {
  client: Client;
  taskQueue: string;
  statuses: LiveStatuses;
  attributes: RegisteredAttributes;
  names: FileNames;
  links: MediaLinks | undefined;
  uiUrl: string | undefined;
}

/** The runs of one task queue, for callers who may each see some of them. */
export class RunService {
  readonly #options: RunServiceOptions;

  constructor(options: RunServiceOptions) {
    this.#options = options;
  }

  async list({ q, owner, ...query }: RunsQuery, caller: Caller): Promise<RunsPage> {
    return await this.#request(async ({ client, taskQueue, statuses, names }) => {
      const wanted = { taskQueue, ...query, owner: ownerFor(caller, owner), words: q };
      const { runs, ...page } = await listRunsPage(client, wanted);
      const live = await statuses.read(runs, listWaitMs);
      return { runs: runs.map((record) => runView(record, live.get(record.runId), names)), ...page };
    });
  }

  async view(id: string, caller: Caller): Promise<RunView> {
    return await this.#request(async ({ client, taskQueue, statuses, names }) => {
      const { record } = await findRun(client, taskQueue, id, caller);
      const live = await statuses.read([record], detailsWaitMs);
      return runView(record, live.get(record.runId), names);
    });
  }

  async details(id: string, caller: Caller): Promise<RunDetails> {
    return await this.#request(async ({ client, taskQueue, statuses, ...more }) => {
      const run = await findRun(client, taskQueue, id, caller);
      const live = await statuses.read([run.record], detailsWaitMs);
      return await readRunDetails(client, run, live.get(run.record.runId), more);
    });
  }

  async start(
    request: NewRunRequest,
    caller: Caller,
    idempotencyKey: string | undefined,
  ): Promise<{ run: RunView; isNew: boolean }> {
    return await this.#request(async (options) => {
      const { run, isNew } = await startNewRun(options, request, caller, idempotencyKey);
      return { run: runView(run.record, undefined, options.names), isNew };
    });
  }

  async cancel(id: string, caller: Caller): Promise<RunView> {
    return await this.#request(async ({ client, taskQueue, names }) => {
      const { record } = await findRun(client, taskQueue, id, caller);
      // Temporal takes a cancellation of a run that has ended, too.
      if (record.ending !== undefined) throw new ProblemError('run_ended', `${shownId(id)} has ended already.`);
      await client.workflow.getHandle(id, record.runId).cancel();
      return runView(record, undefined, names);
    });
  }

  /** `changes`: a JSON Merge Patch for the input of the old run. */
  async rerun(id: string, changes: Record<string, unknown> | undefined, caller: Caller): Promise<RunView> {
    return await this.#request(async ({ client, taskQueue, attributes, names }) => {
      const { record } = await findRun(client, taskQueue, id, caller);
      const { workflowId } = await rerunWorkflow(client, id, {
        ...(changes !== undefined && { changes: await names.resolve(changes, { caller, folder: randomUUID() }) }),
        details: 'Started by the server.',
        sourceName: (sourceUrl) => names.sourceName(sourceUrl),
        settings: async (_workflow, input) => {
          // The old run may have been started elsewhere, for an owner that its input does not name.
          if (ownerFor(caller, input.owner) !== input.owner) {
            throw new ProblemError('forbidden', `The new run must stay with ${caller.owner}, its owner.`);
          }
          return await settingsOf(attributes, input, {});
        },
      });
      const again = await findRun(client, record.taskQueue, workflowId, caller);
      return runView(again.record, undefined, names);
    });
  }

  async #request<Result>(request: (options: RunServiceOptions) => Promise<Result>): Promise<Result> {
    return await withRequestDeadline(this.#options.client, () => request(this.#options));
  }
}
