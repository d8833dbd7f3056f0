import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import pMap from 'p-map';
import type { RunRecord } from '../../client/run-record.ts';
import { listRunsPage, runsQuery } from '../../client/runs-page.ts';
import type { ErrorCount, ErrorsView } from '../../contract/server/errors.ts';
import { providerFailed } from '../../contract/workflow/failure.ts';
import { withRequestDeadline } from '../request-deadline.ts';

const pageSize = 1_000;
/** Whoever has more failures than that knows enough of them by the last ones. */
const mostPages = 2;
const requestsAtOnce = 8;
/** Each is the name of an error. */
const mostKept = 20_000;

const closeEvent = proto.temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;

type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** By which errors runs have failed. What a run ended with never changes: its last event is read once, and no other. */
export class FailureCounts {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #types = new Map<string, Promise<string>>();

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  async since(endedSince: Date, owner: string | undefined): Promise<ErrorsView> {
    return await withRequestDeadline(this.#client, async () => {
      const wanted = { taskQueue: this.#taskQueue, owner, endedSince };
      const count = async (state: 'ended' | 'failed'): Promise<number> =>
        (await this.#client.workflow.count(runsQuery({ ...wanted, state }))).count;
      // First of all: it says in words where Temporal cannot search by state.
      const runs = await this.#listFailed(wanted);
      const [ended, failed, types] = await Promise.all([
        count('ended'),
        count('failed'),
        pMap(runs, (run) => this.#typeOf(run), { concurrency: requestsAtOnce }),
      ]);
      const failures = runs.map((run, index) => ({ run, type: types[index] ?? '' }));
      return { since: endedSince.toISOString(), ended, failed, errors: countByType(failures) };
    });
  }

  async #listFailed(wanted: { taskQueue: string; owner: string | undefined; endedSince: Date }): Promise<RunRecord[]> {
    const records: RunRecord[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const page = await listRunsPage(this.#client, { ...wanted, state: 'failed', cursor, limit: pageSize });
      records.push(...page.runs);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    return records;
  }

  async #typeOf(run: RunRecord): Promise<string> {
    // It has a result, which says of each chunk why.
    if (run.ending === 'completed') return providerFailed;
    const known = this.#types.get(run.runId);
    if (known !== undefined) return await known;
    const reading = this.#readType(run);
    this.#types.set(run.runId, reading);
    // Whoever asks next is not to have the error of before.
    reading.catch(() => this.#types.delete(run.runId));
    for (const runId of this.#types.keys()) {
      if (this.#types.size <= mostKept) break;
      this.#types.delete(runId);
    }
    return await reading;
  }

  async #readType({ workflowId, runId }: RunRecord): Promise<string> {
    const { history } = await this.#client.workflowService.getWorkflowExecutionHistory({
      namespace: this.#client.options.namespace,
      execution: { workflowId, runId },
      historyEventFilterType: closeEvent,
    });
    const end = history?.events?.at(-1);
    if (end?.workflowExecutionTerminatedEventAttributes) return 'Terminated';
    if (end?.workflowExecutionTimedOutEventAttributes) return 'TimedOut';
    return typeIn(end?.workflowExecutionFailedEventAttributes?.failure);
  }
}

/** Of the outermost failure that has one. */
function typeIn(failure: Failure): string {
  if (!failure) return 'Unknown';
  return failure.applicationFailureInfo?.type || typeIn(failure.cause);
}

export function countByType(failures: readonly { run: RunRecord; type: string }[]): ErrorCount[] {
  const groups = [...Map.groupBy(failures, ({ type }) => type)];
  const counts = groups.map(([type, members]) => {
    const runs = members.map(({ run }) => ({ id: run.workflowId, at: (run.endedAt ?? run.startedAt).toISOString() }));
    const last = runs.reduce((one, other) => (other.at > one.at ? other : one));
    return { type, count: members.length, lastRun: last.id, lastAt: last.at };
  });
  return counts.toSorted((a, b) => b.count - a.count || (a.lastAt < b.lastAt ? 1 : -1));
}
