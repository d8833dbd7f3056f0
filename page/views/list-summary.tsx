import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { holdfast } from '../api/holdfast.ts';
import { laterTexts } from '../later-texts.ts';
import { filters, wantedRuns } from '../state/list-filters.ts';
import { changedRun, hasMore, runs, total } from '../state/runs.ts';
import { can } from '../state/session.ts';
import { RetryFailed } from './retry-failed.tsx';

/** Shortest time between two counts, because each is a request for every open page. */
const pauseMs = 10_000;

/** Number of matching runs, and what can be done with all of them. */
export function ListSummary() {
  useEffect(countChanges, []);
  const count = hasMore.value ? Math.max(total.value, runs.value.length + 1) : runs.value.length;
  return (
    <div class="summary">
      <span class="quiet small">{laterTexts.list.total(count)}</span>
      {can('run') && filters.value.state === 'failed' && <RetryFailed />}
    </div>
  );
}

/** Counts again some time after runs change, while not all of them are loaded. */
function countChanges(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const dispose = effect(() => {
    if (changedRun.value === undefined || !hasMore.peek()) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      // After a failed request, the next change counts again.
      count().catch(() => undefined);
    }, pauseMs);
  });
  return () => {
    dispose();
    clearTimeout(timer);
  };
}

async function count(): Promise<void> {
  const wanted = wantedRuns.peek();
  const page = await holdfast.list({ ...wanted, limit: 1 });
  // The filters may have changed meanwhile.
  if (wanted === wantedRuns.peek() && page.total !== undefined) total.value = page.total;
}
