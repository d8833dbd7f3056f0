import type { RunView } from '../../contract/server/run.ts';
import { nowMs } from '../state/now.ts';
import { follow, runPath } from '../state/route.ts';
import { selected, toggleSelected } from '../state/runs.ts';
import { texts } from '../texts.ts';
import { formatMoment, formatSpan } from '../words/format.ts';
import { presetTitle } from '../words/preset-words.ts';
import { isActive, nameOfRun, phaseWords, waitWords } from '../words/run-words.ts';
import { StatePill } from './state-pill.tsx';

export function RunRow({ run }: { run: RunView }) {
  const name = nameOfRun(run);
  return (
    <li class={`row ${run.state}`}>
      <input
        type="checkbox"
        aria-label={texts.list.select(name)}
        checked={selected.value.has(run.id)}
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

function metaOf({ formats = [], owner, startedAt, endedAt }: RunView): string {
  const made = formats.filter((format) => !format.startsWith('peaks')).map(presetTitle);
  const time = formatMoment(endedAt ?? startedAt, nowMs.value);
  const took = endedAt === undefined ? [] : [formatSpan((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)];
  return [...made, ...(owner === undefined ? [] : [texts.list.by(owner)]), time, ...took].join(' · ');
}

/** How far it is, in a bar and in words. */
export function RunProgress({ run }: { run: RunView }) {
  const { state, percent, phase, etaSeconds, attempt } = run;
  const isKnown = state === 'running' && percent !== undefined;
  const facts = [
    ...(state === 'waiting' ? [waitWords(run, nowMs.value)] : []),
    ...(state === 'running' && phase !== undefined ? [phaseWords(phase)] : []),
    ...(isKnown ? [texts.run.percent(Math.round(percent))] : []),
    ...(state === 'running' && etaSeconds !== undefined && etaSeconds >= 1
      ? [texts.run.eta(formatSpan(Math.ceil(etaSeconds)))]
      : []),
    ...(attempt !== undefined && attempt > 1 ? [texts.run.attempt(attempt)] : []),
  ];
  return (
    <div class="progress">
      <progress max="100" value={isKnown ? percent : (percent ?? 0)} aria-label={texts.run.progress} />
      <span class="small quiet">{facts.join(' · ')}</span>
    </div>
  );
}
