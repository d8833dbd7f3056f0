import type { BatchResult } from '../../contract/server/run.ts';
import { holdfast } from '../api/holdfast.ts';
import { laterTexts } from '../later-texts.ts';
import { tell } from './notices.ts';
import { orTell } from './or-tell.ts';
import { wantedRuns } from './list-filters.ts';
import { selected } from './runs.ts';

/** The server's limit is 500. A person sees the number of selected runs fall from batch to batch. */
const mostOfBatch = 25;
/** The server's limit. */
const mostOfPage = 200;

/** Selects all runs that match the filters, even those not loaded yet. Returns whether they could be read. */
export async function selectAll(): Promise<boolean> {
  const [wanted, ids] = [wantedRuns.value, new Set<string>()];
  let cursor: string | undefined;
  return await orTell(async () => {
    do {
      const page = await holdfast.list({ ...wanted, cursor, limit: mostOfPage });
      for (const { id } of page.runs) ids.add(id);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    selected.value = ids;
  });
}

let isActing = false;

const askBeforeLeaving = (event: Event): void => event.preventDefault();

/**
 * Cancels or reruns the selected runs. A person who clears the selection meanwhile ends the action. Ignores a second call
 * while one runs, because the server would refuse every run.
 */
export async function actOnSelected(action: 'cancel' | 'rerun'): Promise<void> {
  if (isActing) return;
  isActing = true;
  const left = new Set(selected.value);
  const nextIds = () => [...left].filter((id) => selected.value.has(id)).slice(0, mostOfBatch);
  const results: BatchResult['results'] = [];
  addEventListener('beforeunload', askBeforeLeaving);
  await orTell(async () => {
    for (let ids = nextIds(); ids.length > 0; ids = nextIds()) {
      const batch = await holdfast.batch({ action, ids });
      results.push(...batch.results);
      for (const id of ids) left.delete(id);
      // After an error, the remaining runs stay selected for another try.
      const done = new Set(ids);
      selected.value = new Set([...selected.value].filter((id) => !done.has(id)));
    }
  });
  removeEventListener('beforeunload', askBeforeLeaving);
  isActing = false;
  const refused = results.filter(({ status }) => status >= 400);
  const accepted = results.length - refused.length;
  if (accepted > 0) tell('done', laterTexts.selection.done(accepted, action));
  // Runs may be refused for several reasons; each is told with the first of its runs as the example.
  for (const [, alike] of Map.groupBy(refused, ({ problem }) => problem?.code)) {
    const reason = alike[0]?.problem?.detail ?? '';
    tell('problem', laterTexts.selection.refused(alike.length, action, reason));
  }
}
