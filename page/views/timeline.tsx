import type { RunDetails } from '../../contract/server/run.ts';
import { nowMs } from '../state/now.ts';
import { formatSpan } from '../words/format.ts';
import { phaseWords } from '../words/progress-words.ts';
import { spanTicks } from '../words/ticks.ts';
import { shapeTimeline, sumParts, type TimelineLane } from '../words/timeline-parts.ts';
import { AxisX } from './axes.tsx';
import { laterTexts } from '../later-texts.ts';

/** A lane for each step, and a legend with the seconds as text. */
export function TimelinePicture({ run }: { run: RunDetails }) {
  const { fromMs, toMs, lanes } = shapeTimeline(run, nowMs.value);
  return (
    <section class="card timeline" aria-labelledby="timeline">
      <h2 id="timeline">{laterTexts.timeline.title}</h2>
      {!run.timelineComplete && <p class="quiet">{laterTexts.timeline.incomplete}</p>}
      {lanes.length === 0 && <p class="quiet">{laterTexts.timeline.nothing}</p>}
      <div aria-hidden="true">
        {lanes.map((lane) => (
          <Lane key={lane.step} lane={lane} fromMs={fromMs} toMs={toMs} />
        ))}
        {lanes.length > 0 && (
          <div class="scale">
            <AxisX
              ticks={spanTicks((toMs - fromMs) / 1000, (seconds) => (seconds === 0 ? '0' : formatSpan(seconds)))}
            />
          </div>
        )}
      </div>
      <ul class="legend">
        {sumParts(lanes).map(({ kind, words, count, seconds }) => (
          <li key={kind}>
            <span class={`swatch ${kind}`} aria-hidden="true" />
            {words} <span class="quiet">{formatSpan(seconds)}</span>
            {count > 1 && <span class="quiet"> ({laterTexts.timeline.times(count)})</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Lane({ lane, fromMs, toMs }: { lane: TimelineLane; fromMs: number; toMs: number }) {
  const placeOf = (atMs: number): string => `${(100 * (atMs - fromMs)) / (toMs - fromMs)}%`;
  return (
    <div class="lane">
      <span class="small">{phaseWords(lane.step)}</span>
      <div class="track">
        {lane.parts.map(({ kind, words, isOpen, ...part }) => (
          <span
            key={`${kind}-${part.fromMs}`}
            class={`part ${kind}${isOpen ? ' open' : ''}`}
            title={`${words}: ${formatSpan((part.toMs - part.fromMs) / 1000)}`}
            style={{
              left: placeOf(part.fromMs),
              width: `${(100 * Math.max(0, part.toMs - part.fromMs)) / (toMs - fromMs)}%`,
            }}
          />
        ))}
      </div>
    </div>
  );
}
