import { useComputed } from '@preact/signals';
import type { RunView } from '../../contract/server/run.ts';
import { nowMs } from '../state/now.ts';
import { follow, runPath } from '../state/route.ts';
import { selected, toggleSelected } from '../state/runs.ts';
import { formatBytes, formatMoment, formatSpan } from '../words/format.ts';
import { presetTitle } from '../words/preset-words.ts';
import { isActive, nameOfRun, phaseWords, placeWords, waitWords } from '../words/run-words.ts';
import { StatePill } from './state-pill.tsx';
import { texts } from '../texts.ts';

export function RunRow({ run }: { run: RunView }) {
  const name = nameOfRun(run);
  // A computed signal re-renders only the rows whose own selection changes.
  const isSelected = useComputed(() => selected.value.has(run.id));
  return (
    <li class={`row ${run.state}`}>
      <input
        type="checkbox"
        aria-label={texts.list.select(name)}
        checked={isSelected.value}
        onChange={() => toggleSelected(run.id)}
      />
      <div class="what">
        <a class="to-run" href={runPath(run.id)} data-id={run.id} onClick={follow}>
          {name}
        </a>
        <span class="quiet small meta">{metaOf(run)}</span>
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

/** Progress as a bar and as text. */
export function RunProgress({ run }: { run: RunView }) {
  const { state, percent, phase, etaSeconds, attempt, video } = run;
  const isKnown = state === 'running' && percent !== undefined;
  const facts = [
    ...(state === 'waiting' ? [waitWords(run, nowMs.value)] : []),
    ...(state === 'queued' ? placeWords(run, nowMs.value) : []),
    ...(state === 'running' && phase !== undefined ? [phaseWords(phase)] : []),
    ...(isKnown ? [texts.progress.percent(Math.round(percent))] : []),
    ...(state === 'running' && video !== undefined
      ? [texts.progress.frames(video.frames, video.fps), formatBytes(video.size)]
      : []),
    ...(state === 'running' && etaSeconds !== undefined && etaSeconds >= 1
      ? [texts.progress.eta(formatSpan(Math.ceil(etaSeconds)))]
      : []),
    ...(attempt !== undefined && attempt > 1 ? [texts.progress.attempt(attempt)] : []),
  ];
  return (
    <div class="progress">
      <progress max="100" value={isKnown ? percent : (percent ?? 0)} aria-label={texts.progress.label} />
      <span class="small quiet">{facts.join(' · ')}</span>
    </div>
  );
}
