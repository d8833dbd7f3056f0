import { effect, signal } from '@preact/signals';
import type { RunDetails, RunView } from '../../contract/server/run.ts';
import { holdfast, messageOf, statusOf } from '../api/holdfast.ts';
import { changedRun, connection } from './runs.ts';
import { endSession } from './session.ts';

export type DetailsState =
  | { state: 'loading' }
  | { state: 'failed'; status: number | undefined; message: string }
  | { state: 'ready'; run: RunDetails };

/** Shortest time between two loads of the run's history. */
const leastMs = 700;

/** Details of one run, reloaded when the run changes. */
export function watchDetails(id: string) {
  const details = signal<DetailsState>({ state: 'loading' });
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known = '';
  let [requested, answered] = [0, 0];
  /** Latest change since the last request; the answer may be older. */
  let changed: RunView | undefined;

  const load = async (): Promise<void> => {
    timer = undefined;
    changed = undefined;
    const request = (requested += 1);
    try {
      const run = await holdfast.get(id, { signal: stop.signal });
      if (request < answered) return;
      answered = request;
      known = keyOf(run);
      details.value = { state: 'ready', run };
      if (changed !== undefined) reloadIfNew(changed);
    } catch (error) {
      if (stop.signal.aborted) return;
      const status = statusOf(error);
      if (status === 401) return endSession(error);
      // Shown details stay while the server is unreachable.
      if (details.value.state !== 'ready') details.value = { state: 'failed', status, message: messageOf(error) };
    }
  };

  const reloadIfNew = (change: RunView): void => {
    if (keyOf(change) !== known) timer ??= setTimeout(() => void load(), leastMs);
  };

  const disposeChanges = effect(() => {
    const change = changedRun.value;
    const shown = details.peek();
    if (change?.id !== id) return;
    changed = change;
    if (shown.state !== 'ready' || change.startedAt < shown.run.startedAt) return;
    // The change may belong to a new run with the same id.
    details.value = { state: 'ready', run: { ...shown.run, ...change } };
    reloadIfNew(change);
  });
  const disposeReturn = effect(() => {
    if (connection.value === 'live') timer ??= setTimeout(() => void load(), 0);
  });
  void load();
  return {
    details,
    reload: load,
    stop() {
      stop.abort();
      clearTimeout(timer);
      disposeChanges();
      disposeReturn();
    },
  };
}

/** Changes whenever the history has something new to show. */
function keyOf({ runId, state, phase, attempt, waiting, spread }: RunView): string {
  const jobs = spread?.jobs.map((job) => [job.segment, job.isCopy, job.state]);
  const soundJobs = spread?.soundJobs.map((job) => [job.isCopy, job.state]);
  return [runId, state, phase, attempt, waiting?.until, jobs, soundJobs].join(' ');
}
