import { batch, computed, effect, signal } from '@preact/signals';
import { definedFields } from '../../contract/defined-fields.ts';
import type { RunView } from '../../contract/server/run.ts';
import { holdfast, messageOf, statusOf } from '../api/holdfast.ts';
import { isActive, nameOfRun } from '../words/run-words.ts';
import { fits, wantedRuns } from './list-filters.ts';
import { listQuery } from './route.ts';
import { checkSession, endSession, session } from './session.ts';

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');
export const listState = signal<{ state: 'loading' | 'ready' } | { state: 'failed'; message: string }>({
  state: 'loading',
});
export const selected = signal<ReadonlySet<string>>(new Set());
/** Latest change of any run; the page of a run watches it. */
export const changedRun = signal<RunView | undefined>(undefined);

const found = signal<readonly RunView[]>([]);
const nextCursor = signal<string | undefined>(undefined);
/** Number of all matching runs when the first page was loaded. */
export const total = signal(0);

export const hasMore = computed(() => nextCursor.value !== undefined);

/** Active runs first, then by time, newest first. */
export const runs = computed(() => found.value.toSorted(compareRuns));

export function compareRuns(a: RunView, b: RunView): number {
  if (isActive(a) !== isActive(b)) return isActive(a) ? -1 : 1;
  return timeOf(b).localeCompare(timeOf(a));
}

function timeOf({ startedAt, endedAt }: RunView): string {
  return endedAt ?? startedAt;
}

let loading = new AbortController();
/** Changes since the list was requested; the answer may be older. Undefined without a request. */
let arrived: RunView[] | undefined;

/** Reloads the first page, or loads the next one. */
export async function loadRuns({ more = false } = {}): Promise<void> {
  loading.abort();
  const { signal } = (loading = new AbortController());
  const cursor = more ? nextCursor.value : undefined;
  const later: RunView[] = (arrived = []);
  try {
    const page = await holdfast.list({ ...wantedRuns.value, cursor }, { signal });
    const known = new Set(page.runs.map(({ runId }) => runId));
    const before = more ? found.value.filter(({ runId }) => !known.has(runId)) : [];
    batch(() => {
      found.value = [...before, ...page.runs];
      nextCursor.value = page.nextCursor;
      total.value = page.total ?? total.value;
      listState.value = { state: 'ready' };
      for (const run of later) if (!isOutdated(run)) place(run);
    });
  } catch (error) {
    if (signal.aborted) return;
    if (statusOf(error) === 401) return endSession(error);
    listState.value = { state: 'failed', message: messageOf(error) };
  } finally {
    if (arrived === later) arrived = undefined;
  }
}

/** Pause after a change of the filters, such as a typed letter. */
const pauseMs = 250;

let waiting: ReturnType<typeof setTimeout> | undefined;

effect(() => {
  const query = listQuery.value;
  // The event `ready` loads the first list.
  if (connection.peek() === 'connecting' && query === location.search) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => void loadRuns(), pauseMs);
});

/** Applies a change to the shown list. A later run with the same id takes the place of an earlier one. */
export function showChange(change: RunView): void {
  if (isOutdated(change)) return;
  const before = found.value.find(({ runId }) => runId === change.runId);
  // A run has no source and formats until a worker has started it, and no failure until the server has read it.
  const run = { ...pick(before), ...change };
  changedRun.value = run;
  arrived?.push(run);
  place(run);
}

/** True if the list shows a later run with the same id, or the end of the run. */
function isOutdated(change: RunView): boolean {
  return found.value.some(
    ({ id, runId, startedAt, endedAt }) =>
      id === change.id &&
      (startedAt > change.startedAt ||
        (runId === change.runId && endedAt !== undefined && change.endedAt === undefined)),
  );
}

/** Puts a changed run into the list, if it belongs there. */
function place(run: RunView): void {
  const others = found.value.filter(({ id }) => id !== run.id);
  const isShown = others.length < found.value.length;
  if (fits(run) && (isShown || fitsWords(run))) found.value = [...others, run];
  else if (isShown) {
    found.value = others;
    // The shown page is empty, but more runs match.
    if (others.length === 0 && hasMore.value) void loadRuns();
  }
}

function pick({ source, formats, failure }: Partial<RunView> = {}): Partial<RunView> {
  return definedFields({ source, formats, failure });
}

function fitsWords(run: RunView): boolean {
  const wanted = wantedRuns.value.q?.toLowerCase() ?? '';
  return run.id.toLowerCase().startsWith(wanted) || nameOfRun(run).toLowerCase().includes(wanted);
}

/** Applies the server's events until the signal aborts. */
export async function followRuns(signal: AbortSignal): Promise<void> {
  const onLost = (): void => void (connection.value = 'lost');
  try {
    for await (const { event, data } of holdfast.events({ signal, onLost })) {
      if (connection.value === 'lost') {
        // Another tab may have signed in another owner.
        await checkSession(signal);
        if (session.value.state !== 'ready' || signal.aborted) return;
      }
      connection.value = 'live';
      if (event === 'run') showChange(data);
      else if (!data.resumed) void loadRuns();
    }
  } catch (error) {
    if (statusOf(error) === 401) endSession(error);
    onLost();
  }
}

export function toggleSelected(id: string): void {
  const ids = new Set(selected.value);
  if (!ids.delete(id)) ids.add(id);
  selected.value = ids;
}
