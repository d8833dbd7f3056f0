import { useEffect } from 'preact/hooks';
import { effect } from '@preact/signals';
import { laterTexts } from '../later-texts.ts';
import { changedRun, hasMore, runs, selected, toggleSelected, total } from '../state/runs.ts';
import { holdfast } from '../api/holdfast.ts';
import { type FilterName, filters, setFilter, wantedRuns } from '../state/list-filters.ts';
import { can, session } from '../state/session.ts';
import { listQuery, replaceQuery } from '../state/route.ts';
import { presetTitle } from '../words/preset-words.ts';
import { canNotify, isNotifying, toggleNotifying } from '../state/notifications.ts';
import { actOnSelected, selectAll } from '../state/act-on-selected.ts';
import { QuestionButton } from './question-button.tsx';
import { CancelButton } from './cancel-button.tsx';

/** Keys of the list: / for the search, arrows to move through the rows, x to select. */
export function ListKeys() {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return runs.value.length > 1 ? <p class="quiet small keys">{laterTexts.listKeys}</p> : null;
}

function onKey(event: KeyboardEvent): void {
  const { key, target } = event;
  if (!(target instanceof HTMLElement)) return;
  if (key === '/' && !target.matches('input, textarea, select')) {
    event.preventDefault();
    document.querySelector<HTMLInputElement>('.search input')?.focus();
  }
  const list = target.closest('.list');
  if (list === null) return;
  const links = Array.from(list.querySelectorAll<HTMLAnchorElement>('a.to-run'));
  const at = links.findIndex((link) => link.closest('li')?.contains(target) === true);
  if (key === 'x') {
    const id = links[at]?.dataset['id'];
    if (id !== undefined) toggleSelected(id);
    return;
  }
  const next = key === 'ArrowDown' ? links[at + 1] : key === 'ArrowUp' ? links[at - 1] : undefined;
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

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

export function MoreFilters() {
  const texts = laterTexts.list;
  const { server, presets } = session.value.state === 'ready' ? session.value : {};
  const field = (name: FilterName, label: string, more: object) => (
    <label class="field">
      <span>{label}</span>
      <input
        {...more}
        value={filters.value[name] ?? ''}
        onInput={(event) => setFilter(name, event.currentTarget.value)}
      />
    </label>
  );
  return (
    <div class="more-filters">
      {server?.owner === undefined && field('owner', texts.owner, { autoComplete: 'off' })}
      {field('format', texts.format, { list: 'formats', placeholder: 'mp3_128' })}
      <datalist id="formats">
        {presets?.map(({ name }) => (
          <option key={name} value={name}>
            {presetTitle(name)}
          </option>
        ))}
      </datalist>
      {field('from', texts.from, { type: 'date', max: filters.value.to })}
      {field('to', texts.to, { type: 'date', min: filters.value.from })}
      <button type="button" class="plain" disabled={listQuery.value === ''} onClick={() => replaceQuery('')}>
        {texts.clear}
      </button>
    </div>
  );
}

export function NotifyChoice() {
  if (!canNotify) return null;
  return (
    <button type="button" aria-pressed={isNotifying.value} onClick={() => void toggleNotifying()}>
      {laterTexts.notify.button}
    </button>
  );
}

/** Selects all failed runs that match the filters, and asks before it runs them again. */
export function RetryFailed() {
  const { question, consequence, confirm, ...texts } = laterTexts.retry;
  const count = selected.value.size;
  return (
    <QuestionButton
      {...texts}
      title={question(count)}
      text={consequence}
      confirm={confirm(count)}
      onAsk={selectAll}
      onConfirm={() => void actOnSelected('rerun')}
      onKeep={() => (selected.value = new Set())}
    />
  );
}

export function Selection() {
  return (
    <div class="selection" role="group" aria-label={laterTexts.selection.selected(selected.value.size)}>
      <strong role="status">{laterTexts.selection.selected(selected.value.size)}</strong>
      {can('run') && (
        <>
          <CancelButton count={selected.value.size} onCancel={() => void actOnSelected('cancel')} />
          <button type="button" onClick={() => void actOnSelected('rerun')}>
            {laterTexts.selection.rerun}
          </button>
        </>
      )}
      <button type="button" class="plain" onClick={() => void selectAll()}>
        {laterTexts.selection.all}
      </button>
      <button type="button" class="plain" onClick={() => (selected.value = new Set())}>
        {laterTexts.selection.clear}
      </button>
    </div>
  );
}
