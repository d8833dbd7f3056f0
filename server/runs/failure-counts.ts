import type { Client } from '@temporalio/client';
import type { RunRecord } from '../../client/run-record.ts';
import { countRuns } from '../../client/runs-page.ts';
import type { ErrorCount, ErrorsView } from '../../contract/server/errors.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { listAllRuns } from './list-all-runs.ts';
import type { RunFailures } from './run-failures.ts';

/** Only the latest 2,000 failures are counted by error. */
const mostPages = 2;
/** Counts failed runs by error. */
export class FailureCounts {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #failures: RunFailures;

  constructor(client: Client, taskQueue: string, failures: RunFailures) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.#failures = failures;
  }

  async since(endedSince: Date, owner: string | undefined): Promise<ErrorsView> {
    return await withRequestDeadline(this.#client, async () => {
      const wanted = { taskQueue: this.#taskQueue, owner, endedSince };
      const [runs, ended, failed] = await Promise.all([
        listAllRuns(this.#client, { ...wanted, state: 'failed' }, mostPages),
        countRuns(this.#client, { ...wanted, state: 'ended' }),
        countRuns(this.#client, { ...wanted, state: 'failed' }),
      ]);
      const types = await Promise.all(runs.map(async (run) => (await this.#failures.of(run)).type));
      const failures = runs.map((run, index) => ({ run, type: types[index] ?? '' }));
      return { since: endedSince.toISOString(), ended, failed, errors: countByType(failures) };
    });
  }
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
