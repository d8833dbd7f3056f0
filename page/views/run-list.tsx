import { useEffect, useRef } from 'preact/hooks';
import {
  filter,
  hasMore,
  type ListFilter,
  listState,
  loadRuns,
  runs,
  selected,
  toggleSelected,
  words,
} from '../state/runs.ts';
import { later } from './later.tsx';
import { RunRow } from './run-row.tsx';
import { texts } from '../texts.ts';

const NotifyChoice = later(async () => (await import('./notify-choice.tsx')).NotifyChoice);
const Selection = later(async () => (await import('./selection.tsx')).Selection);

/** Pause in typing before a search starts. */
const searchPauseMs = 250;

export function RunList() {
  const { state } = listState.value;
  return (
    <section class="runs" aria-labelledby="runs">
      <h1 id="runs">{texts.list.title}</h1>
      {runs.value.length > 0 && <NotifyChoice />}
      <Toolbar />
      {selected.value.size > 0 && <Selection />}
      {listState.value.state === 'failed' && (
        <div class="card" role="alert">
          <p>
            <strong>{texts.list.error}</strong> {listState.value.message}
          </p>
          <button type="button" onClick={() => void loadRuns()}>
            {texts.again}
          </button>
        </div>
      )}
      {state === 'loading' && <p class="quiet">{texts.loading}</p>}
      {state === 'ready' && runs.value.length === 0 && <Nothing />}
      <ul class="list" onKeyDown={walk}>
        {runs.value.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
      {hasMore.value && (
        <button type="button" onClick={() => void loadRuns({ more: true })}>
          {texts.list.more}
        </button>
      )}
      {runs.value.length > 1 && <p class="quiet small keys">{texts.list.keys}</p>}
    </section>
  );
}

function Toolbar() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusSearch = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.key !== '/' || (target instanceof HTMLElement && target.matches('input, textarea, select'))) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', focusSearch);
    return () => removeEventListener('keydown', focusSearch);
  }, []);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <div class="toolbar" role="search">
      <label class="field search">
        <span class="hidden">{texts.list.search}</span>
        <input
          ref={field}
          type="search"
          placeholder={texts.list.searchHint}
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value;
            clearTimeout(timer.current);
            timer.current = setTimeout(() => void loadRuns(), searchPauseMs);
          }}
        />
      </label>
      <fieldset class="filters">
        <legend class="hidden">{texts.list.filter}</legend>
        {Object.entries(texts.filters).map(([name, text]) => (
          <label key={name}>
            <input
              type="radio"
              name="filter"
              checked={filter.value === name}
              onChange={() => {
                filter.value = name as ListFilter;
                void loadRuns();
              }}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}

function Nothing() {
  const isAll = filter.value === 'all' && words.value.trim() === '';
  return (
    <div class="nothing">
      <strong>{isAll ? texts.list.none : texts.list.noMatch}</strong>
      <p class="quiet">{isAll ? texts.list.noneHint : texts.list.noMatchHint}</p>
    </div>
  );
}

/** Arrow keys move through the rows, x selects. */
function walk(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const links = Array.from(list.querySelectorAll<HTMLAnchorElement>('a.to-run'));
  const at = links.findIndex((link) => link.closest('li')?.contains(event.target as Node) === true);
  if (event.key === 'x') {
    const id = links[at]?.dataset['id'];
    if (id !== undefined) toggleSelected(id);
    return;
  }
  const next = event.key === 'ArrowDown' ? links[at + 1] : event.key === 'ArrowUp' ? links[at - 1] : undefined;
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
