import { computed, signal } from '@preact/signals';
import type { BatchResult, RunFilter, RunsPage, RunView } from '../../contract/server/run.ts';
import { ApiError, call, messageOf } from '../api/call.ts';
import { followEvents, type ServerEvent } from '../api/event-stream.ts';
import { texts } from '../texts.ts';
import { isActive, nameOfRun } from '../words/run-words.ts';
import { tell } from './notices.ts';
import { endSession } from './session.ts';

export type ListFilter = RunFilter | 'all';

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');
export const filter = signal<ListFilter>('all');
export const words = signal('');
export const listState = signal<{ state: 'loading' | 'ready' } | { state: 'failed'; message: string }>({
  state: 'loading',
});
export const selected = signal<ReadonlySet<string>>(new Set());
/** Of the run whose page is open, by its id: what has changed of it. */
export const changedRun = signal<RunView | undefined>(undefined);

const found = signal<readonly RunView[]>([]);
const nextCursor = signal<string | undefined>(undefined);

export const hasMore = computed(() => nextCursor.value !== undefined);

/** Those under way first, the last first. */
export const runs = computed(() => found.value.toSorted(compareRuns));

export function compareRuns(a: RunView, b: RunView): number {
  if (isActive(a) !== isActive(b)) return isActive(a) ? -1 : 1;
  return timeOf(b).localeCompare(timeOf(a));
}

function timeOf({ startedAt, endedAt }: RunView): string {
  return endedAt ?? startedAt;
}

let loading = new AbortController();

/** The first page, anew; or the one after those that are shown. */
export async function loadRuns({ more = false } = {}): Promise<void> {
  loading.abort();
  const { signal } = (loading = new AbortController());
  const query = new URLSearchParams();
  if (filter.value !== 'all') query.set('state', filter.value);
  if (words.value.trim() !== '') query.set('q', words.value.trim());
  if (more && nextCursor.value !== undefined) query.set('cursor', nextCursor.value);
  try {
    const page = await call<RunsPage>('GET', `/api/runs?${query}`, { signal });
    const known = new Set(page.runs.map(({ runId }) => runId));
    const before = more ? found.value.filter(({ runId }) => !known.has(runId)) : [];
    found.value = [...before, ...page.runs];
    nextCursor.value = page.nextCursor;
    listState.value = { state: 'ready' };
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof ApiError && error.status === 401) return endSession(true);
    listState.value = { state: 'failed', message: messageOf(error) };
  }
}

/** What is told of a run, in the list that is shown. */
export function showChange(change: RunView): void {
  const before = found.value.find(({ runId }) => runId === change.runId);
  // Until a worker has it, a run does not say what it is of.
  const run = { ...pick(before), ...change };
  changedRun.value = run;
  const others = found.value.filter(({ id }) => id !== run.id);
  const isShown = others.length < found.value.length;
  if (fits(run) && (isShown || words.value.trim() === '' || fitsWords(run))) found.value = [...others, run];
  else if (isShown) found.value = others;
}

function pick({ source, formats }: Partial<RunView> = {}): Partial<RunView> {
  return { ...(source !== undefined && { source }), ...(formats !== undefined && { formats }) };
}

function fits(run: RunView): boolean {
  const wanted = filter.value;
  if (wanted === 'all') return true;
  if (wanted === 'active' || wanted === 'ended') return isActive(run) === (wanted === 'active');
  return run.state === wanted;
}

function fitsWords(run: RunView): boolean {
  const wanted = words.value.trim().toLowerCase();
  return run.id.toLowerCase().startsWith(wanted) || nameOfRun(run).toLowerCase().includes(wanted);
}

/** Until the signal is aborted. */
export function followRuns(signal: AbortSignal): void {
  const onEvent = ({ event, data }: ServerEvent): void => {
    connection.value = 'live';
    if (event === 'ready' && !(data as { resumed: boolean }).resumed) void loadRuns();
    if (event === 'run') showChange(data as RunView);
  };
  const onLost = (error: unknown): void => {
    if (error instanceof ApiError && error.status === 401) endSession(true);
    connection.value = 'lost';
  };
  void followEvents('/api/events', { onEvent, onLost }, signal);
}

export function toggleSelected(id: string): void {
  const ids = new Set(selected.value);
  if (!ids.delete(id)) ids.add(id);
  selected.value = ids;
}

/** Cancels or reruns all that are selected. */
export async function actOnSelected(action: 'cancel' | 'rerun'): Promise<void> {
  const ids = [...selected.value];
  try {
    const { results } = await call<BatchResult>('POST', '/api/runs:batch', { body: { action, ids } });
    const refused = results.filter(({ status }) => status >= 400);
    if (refused.length < results.length) tell('done', texts.list.done(results.length - refused.length, action));
    const reason = refused[0]?.problem?.detail;
    if (reason !== undefined) tell('problem', texts.list.refused(refused.length, reason));
    selected.value = new Set();
  } catch (error) {
    tell('problem', messageOf(error));
  }
}
