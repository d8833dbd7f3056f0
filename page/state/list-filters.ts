import { computed } from '@preact/signals';
import type { RunView } from '../../contract/server/run.ts';
import type { RunFilter } from '../../contract/server/run-state.ts';
import { isActive } from '../words/run-words.ts';
import { listQuery, replaceQuery } from './route.ts';

/** Names of the filters in the URL of the list. Days are `2026-11-27`. */
export type FilterName = 'state' | 'q' | 'owner' | 'format' | 'from' | 'to';

/** The URL is the only place of the filters, so that a link or a reload restores them. */
export const filters = computed(
  () => Object.fromEntries(new URLSearchParams(listQuery.value)) as Partial<Record<FilterName, string>>,
);

export function setFilter(name: FilterName, value: string): void {
  const query = new URLSearchParams(listQuery.value);
  if (value === '') query.delete(name);
  else query.set(name, value);
  replaceQuery(query.size === 0 ? '' : `?${query}`);
}

/** Query of the API for the filters. The server explains a value that it does not accept. */
export const wantedRuns = computed(() => {
  const { state, q, owner, format, from, to } = filters.value;
  return {
    state: state as RunFilter | undefined,
    q: q?.trim(),
    owner,
    format,
    since: startOf(from, 0),
    before: startOf(to, 1),
  };
});

/** Start of a day in the visitor's time zone, or of the day after. */
function startOf(day: string | undefined, later: number): string | undefined {
  const date = new Date(`${day}T00:00`);
  if (day === undefined || Number.isNaN(date.getTime())) return day;
  date.setDate(date.getDate() + later);
  return date.toISOString();
}

/** Whether a run passes all filters except the search. */
export function fits(run: RunView): boolean {
  const { state, owner = run.owner, format, since = '', before = '~' } = wantedRuns.value;
  const isOfState =
    state === 'active' || state === 'ended'
      ? isActive(run) === (state === 'active')
      : (state ?? run.state) === run.state;
  const isOfFormat = format === undefined || run.formats?.includes(format) === true;
  return isOfState && owner === run.owner && isOfFormat && run.startedAt >= since && run.startedAt < before;
}
