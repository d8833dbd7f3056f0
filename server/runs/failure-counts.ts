import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import pMap from 'p-map';
import type { RunRecord } from '../../client/run-record.ts';
import { runsQuery } from '../../client/runs-page.ts';
import type { ErrorCount, ErrorsView } from '../../contract/server/errors.ts';
import { providerFailed } from '../../contract/workflow/failure.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { listAllRuns } from './list-all-runs.ts';

/** Only the latest 2,000 failures are counted by error. */
const mostPages = 2;
const requestsAtOnce = 8;
/** Limit of cached error names. */
const mostKept = 20_000;

const closeEvent = proto.temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;

type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** Counts failed runs by error. A run's close event never changes, so it is read once and cached. */
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
      // The list comes first: its error explains missing search attributes.
      const runs = await listAllRuns(this.#client, { ...wanted, state: 'failed' }, mostPages);
      const [ended, failed, types] = await Promise.all([
        count('ended'),
        count('failed'),
        pMap(runs, (run) => this.#typeOf(run), { concurrency: requestsAtOnce }),
      ]);
      const failures = runs.map((run, index) => ({ run, type: types[index] ?? '' }));
      return { since: endedSince.toISOString(), ended, failed, errors: countByType(failures) };
    });
  }

  async #typeOf(run: RunRecord): Promise<string> {
    // The run completed with a result in which chunks have failed.
    if (run.ending === 'completed') return providerFailed;
    const known = this.#types.get(run.runId);
    if (known !== undefined) return await known;
    const reading = this.#readType(run);
    this.#types.set(run.runId, reading);
    // The next caller must not get this error again.
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

/** Type of the outermost failure that has one. */
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
