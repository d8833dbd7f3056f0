import { randomUUID } from 'node:crypto';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { rerunWorkflow } from '../../client/rerun.ts';
import type { RunRecord } from '../../client/run-record.ts';
import { countRuns, listRunsPage } from '../../client/runs-page.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import type { Prices } from '../../contract/prices.ts';
import type {
  NewRunRequest,
  PriorityRequest,
  RunDetails,
  RunsPage,
  RunsQuery,
  RunView,
} from '../../contract/server/run.ts';
import type { RunFile } from '../../contract/server/run-file.ts';
import type { TranscriptRequest } from '../../contract/server/transcript.ts';
import { type PriorityChange, prioritySignal } from '../../contract/workflow/priority.ts';
import { type Caller, ownerFor } from '../access/caller.ts';
import type { FileNames } from '../files/file-names.ts';
import { type FileLinks, hasTranscript, linkCorrection } from '../files/run-files.ts';
import { ProblemError, shownId } from '../problem-error.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { readPendingSteps } from './pending-steps.ts';
import { findRun } from './find-run.ts';
import { type LiveSources, readLiveFacts } from './live-facts.ts';
import type { RegisteredAttributes } from './registered-attributes.ts';
import { readOutcome, readRunDetails } from './run-details.ts';
import { runView } from './run-view.ts';
import { settingsOf, startNewRun } from './start-run.ts';

/** Longest waits of a list: for the workers' answers, and for the reasons of failures, which are cached. */
const listWaits = { statusMs: 60, reasonsMs: 1_000 };
const detailsWaits = { statusMs: 1_000, reasonsMs: 1_000 };

export interface RunServiceOptions extends LiveSources {
  client: Client;
  taskQueue: string;
  attributes: RegisteredAttributes;
  names: FileNames;
  links: FileLinks;
  mediaRoot: string | undefined;
  prices: Prices;
  uiUrl: string | undefined;
}

/** The runs of one task queue, limited to those that each caller may see. */
export class RunService {
  readonly #options: RunServiceOptions;

  constructor(options: RunServiceOptions) {
    this.#options = options;
  }

  async list({ q, owner, since, before, ...query }: RunsQuery, caller: Caller): Promise<RunsPage> {
    return await this.#request(async (options) => {
      const { client, taskQueue, names } = options;
      const times = { startedSince: dateOf(since), startedBefore: dateOf(before) };
      const wanted = { taskQueue, ...query, ...times, owner: ownerFor(caller, owner), words: q };
      const listViews = async () => {
        const { runs, ...page } = await listRunsPage(client, wanted);
        const factsOf = await readLiveFacts(runs, options, listWaits);
        return { runs: runs.map((record) => runView(record, factsOf(record), names)), ...page };
      };
      const [page, total] = await Promise.all([
        listViews(),
        query.cursor === undefined ? countRuns(client, wanted) : undefined,
      ]);
      return { ...page, ...definedFields({ total }) };
    });
  }

  async view(id: string, caller: Caller): Promise<RunView> {
    return await this.#request(async (options) => {
      const { record } = await findRun(options.client, options.taskQueue, id, caller);
      const factsOf = await readLiveFacts([record], options, detailsWaits);
      return runView(record, factsOf(record), options.names);
    });
  }

  async details(id: string, caller: Caller): Promise<RunDetails> {
    return await this.#request(async (options) => {
      const run = await findRun(options.client, options.taskQueue, id, caller);
      const factsOf = await readLiveFacts([run.record], options, detailsWaits);
      return await readRunDetails(options.client, run, factsOf(run.record), options, caller);
    });
  }

  async start(
    request: NewRunRequest,
    caller: Caller,
    idempotencyKey: string | undefined,
  ): Promise<{ run: RunView; isNew: boolean }> {
    return await this.#request(async (options) => {
      const { run, isNew } = await startNewRun(options, request, caller, idempotencyKey);
      return { run: runView(run.record, {}, options.names), isNew };
    });
  }

  async cancel(id: string, caller: Caller): Promise<RunView> {
    return await this.#request(async ({ client, taskQueue, names }) => {
      const { record } = await findRun(client, taskQueue, id, caller);
      // Temporal accepts the cancellation of an ended run without an error.
      requireOpen(record);
      await client.workflow.getHandle(id, record.runId).cancel();
      return runView(record, {}, names);
    });
  }

  /** A working run keeps its container; the new priority applies when it is queued again. */
  async setPriority(id: string, { priority }: PriorityRequest, caller: Caller): Promise<RunView> {
    return await this.#request(async ({ client, taskQueue, names }) => {
      const { record } = await findRun(client, taskQueue, id, caller);
      requireOpen(record);
      const { workflowId, runId } = record;
      const steps = await readPendingSteps(client, workflowId, runId);
      const moves = steps.length > 0 && steps.every(({ kind }) => kind === 'queued');
      const change: PriorityChange = { priority, moves };
      await client.workflow
        .getHandle(id, runId)
        .signal(prioritySignal, change)
        .catch((error: unknown) => {
          // The run has ended since the look-up.
          throw error instanceof WorkflowNotFoundError ? runEnded(id) : error;
        });
      return runView(record, {}, names);
    });
  }

  /** `changes` is a JSON Merge Patch (RFC 7396) of the old run's input. */
  async rerun(id: string, changes: Record<string, unknown> | undefined, caller: Caller): Promise<RunView> {
    return await this.#request(async ({ client, taskQueue, attributes, names, mediaRoot }) => {
      const { record } = await findRun(client, taskQueue, id, caller);
      const { workflowId } = await rerunWorkflow(client, id, {
        mediaRoot,
        ...(changes !== undefined && { changes: await names.resolve(changes, { caller, folder: randomUUID() }) }),
        details: 'Started by the server.',
        sourceName: (sourceUrl) => names.sourceName(sourceUrl),
        settings: async (_workflow, input) => {
          // The old run may belong to an owner whom its input does not name.
          if (ownerFor(caller, input.owner) !== input.owner) {
            throw new ProblemError('forbidden', `The owner of the new run must be ${caller.owner}.`);
          }
          // Somebody without an owner may have started the old run with an object or a file that its owner may not use elsewhere.
          if (changes !== undefined) await names.requireOwnObjects(input, caller);
          await names.markUsed(input);
          return await settingsOf(attributes, input, {});
        },
      });
      const again = await findRun(client, record.taskQueue, workflowId, caller);
      return runView(again.record, {}, names);
    });
  }

  /** Stores a corrected transcript as the version that follows `known`; 0 is the transcript that the run wrote. */
  async saveTranscript(id: string, known: number, corrected: TranscriptRequest, caller: Caller): Promise<RunFile> {
    return await this.#request(async ({ client, taskQueue, links }) => {
      const { record } = await findRun(client, taskQueue, id, caller);
      const { result } = record.ending === undefined ? {} : await readOutcome(client, record);
      if (!hasTranscript(result)) throw new ProblemError('no_results', `${shownId(id)} has no transcript.`);
      if (links.transcripts === undefined) {
        throw new ProblemError(
          'uploads_unavailable',
          'This server stores no transcripts: MEDIA_ROOT is not set. Export the transcript instead.',
        );
      }
      const text = corrected.segments.map(({ text: said }) => said).join(' ');
      const saved = await links.transcripts.save(record.runId, known, { text, ...corrected });
      const file = await linkCorrection(links, saved);
      if (file === undefined) throw new Error(`${saved.path} was removed after it was stored`);
      return file;
    });
  }

  async #request<Result>(request: (options: RunServiceOptions) => Promise<Result>): Promise<Result> {
    return await withRequestDeadline(this.#options.client, () => request(this.#options));
  }
}

function requireOpen({ workflowId, ending }: RunRecord): void {
  if (ending !== undefined) throw runEnded(workflowId);
}

function runEnded(id: string): ProblemError {
  return new ProblemError('run_ended', `${shownId(id)} has already ended.`);
}

function dateOf(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
