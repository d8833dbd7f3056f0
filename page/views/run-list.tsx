import { useSignal } from '@preact/signals';
import { filters, setFilter } from '../state/list-filters.ts';
import { listQuery } from '../state/route.ts';
import { hasMore, listState, loadRuns, runs, selected } from '../state/runs.ts';
import { later } from './later.tsx';
import { RunRow } from './run-row.tsx';
import { texts } from '../texts.ts';

const ListKeys = later(async () => (await import('./list-tools.tsx')).ListKeys);
const ListSummary = later(async () => (await import('./list-tools.tsx')).ListSummary);
const MoreFilters = later(async () => (await import('./list-tools.tsx')).MoreFilters);
const NotifyChoice = later(async () => (await import('./list-tools.tsx')).NotifyChoice);
const Selection = later(async () => (await import('./list-tools.tsx')).Selection);

export function RunList() {
  const { state } = listState.value;
  return (
    <section class="runs" aria-labelledby="runs">
      <h1 id="runs">{texts.list.title}</h1>
      {runs.value.length > 0 && <NotifyChoice />}
      <Toolbar />
      {runs.value.length > 0 && <ListSummary />}
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
      <ul class="list">
        {runs.value.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
      {hasMore.value && (
        <button type="button" onClick={() => void loadRuns({ more: true })}>
          {texts.list.more}
        </button>
      )}
      {runs.value.length > 0 && <ListKeys />}
    </section>
  );
}

function Toolbar() {
  const { state = 'all', q = '', owner, format, from, to } = filters.value;
  const isOpen = useSignal((owner ?? format ?? from ?? to) !== undefined);
  return (
    <div class="toolbar" role="search">
      <label class="field search">
        <span class="hidden">{texts.list.search}</span>
        <input
          type="search"
          placeholder={texts.list.searchHint}
          value={q}
          onInput={(event) => setFilter('q', event.currentTarget.value)}
        />
      </label>
      <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        {texts.list.filters}
      </button>
      <fieldset class="filters">
        <legend class="hidden">{texts.list.filter}</legend>
        {Object.entries(texts.filters).map(([name, text]) => (
          <label key={name}>
            <input
              type="radio"
              name="filter"
              checked={state === name}
              onChange={() => setFilter('state', name === 'all' ? '' : name)}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      {isOpen.value && <MoreFilters />}
    </div>
  );
}

function Nothing() {
  const isAll = listQuery.value === '';
  return (
    <div class="nothing">
      <strong>{isAll ? texts.list.none : texts.list.noMatch}</strong>
      <p class="quiet">{isAll ? texts.list.noneHint : texts.list.noMatchHint}</p>
    </div>
  );
}
