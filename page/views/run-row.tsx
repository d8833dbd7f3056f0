import { useComputed } from '@preact/signals';
import type { RunView } from '../../contract/server/run.ts';
import { follow, runPath } from '../state/route.ts';
import { selected, toggleSelected } from '../state/runs.ts';
import { formatMoment, formatSpan } from '../words/format.ts';
import { presetTitle } from '../words/preset-words.ts';
import { isActive, nameOfRun } from '../words/run-words.ts';
import { later } from './later.tsx';
import { StatePill } from './state-pill.tsx';
import { texts } from '../texts.ts';

const RunProgress = later(async () => (await import('./run-progress.tsx')).RunProgress);

export function RunRow({ run }: { run: RunView }) {
  const name = nameOfRun(run);
  // A computed signal re-renders only the rows whose own selection changes.
  const isSelected = useComputed(() => selected.value.has(run.id));
  return (
    <li class={`row ${run.state}`}>
      <label class="pick">
        <input
          type="checkbox"
          aria-label={texts.list.select(name)}
          checked={isSelected.value}
          onChange={() => toggleSelected(run.id)}
        />
      </label>
      <div class="what">
        <a class="to-run" href={runPath(run.id)} data-id={run.id} onClick={follow}>
          {name}
        </a>
        <span class="quiet small meta">{metaOf(run)}</span>
        {run.failure !== undefined && <span class="bad small why">{run.failure.message}</span>}
      </div>
      <StatePill state={run.state} />
      {isActive(run) && <RunProgress run={run} />}
    </li>
  );
}

/** Outputs that the page adds for its own views. */
const additions: ReadonlySet<string> = new Set(['peaks', 'spectrogram', 'poster', 'storyboard']);

function metaOf({ formats = [], owner, startedAt, endedAt }: RunView): string {
  const made = formats.filter((format) => !additions.has(format)).map(presetTitle);
  // `nowMs` would re-render every row each second.
  const time = formatMoment(endedAt ?? startedAt, Date.now());
  const took = endedAt === undefined ? [] : [formatSpan((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)];
  return [...made, ...(owner === undefined ? [] : [texts.list.by(owner)]), time, ...took].join(' · ');
}
