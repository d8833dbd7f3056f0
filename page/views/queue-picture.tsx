import { holdfast } from '../api/holdfast.ts';
import { laterTexts } from '../later-texts.ts';
import { nowMs } from '../state/now.ts';
import { usePolled } from '../state/use-polled.ts';
import { formatHour, formatMoment, formatRound } from '../words/format.ts';
import { shapeQueue } from '../words/queue-chart.ts';
import { dayTicks, valueTicks } from '../words/ticks.ts';
import { Axes } from './axes.tsx';

/** The server takes one sample per minute. */
const everyMs = 60_000;

/** Queued runs and busy containers over the last 24 hours. */
export function QueuePicture() {
  const { answer, problem } = usePolled(async () => await holdfast.queueHistory(), everyMs);
  const chart = answer.value === undefined ? undefined : shapeQueue(answer.value);
  const momentOf = (at: string): string => formatMoment(at, nowMs.value);
  return (
    <section class="card" aria-labelledby="line">
      <h2 id="line">{laterTexts.operators.lineOfDay}</h2>
      {problem.value !== undefined && <p class="bad">{problem.value}</p>}
      {answer.value !== undefined && chart === undefined && <p class="quiet">{laterTexts.operators.noSamples}</p>}
      {chart !== undefined && (
        <figure class="queue-picture">
          <Axes
            x={dayTicks(Date.parse(chart.from), Date.parse(chart.to), formatHour)}
            y={valueTicks(0, chart.most, formatRound)}
          >
            <svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-labelledby="line-words">
              {(['busy', 'backlog'] as const).flatMap((kind) =>
                chart.lines[kind].map((points) => <polyline key={`${kind} ${points}`} class={kind} points={points} />),
              )}
            </svg>
          </Axes>
          <figcaption class="small" id="line-words">
            <span class="key backlog">{laterTexts.operators.line}</span>{' '}
            <span class="key busy">{laterTexts.operators.busy}</span>{' '}
            <span class="quiet">
              {chart.longest.backlog === 0
                ? laterTexts.operators.noLine
                : laterTexts.operators.longest(chart.longest.backlog, momentOf(chart.longest.at))}
            </span>
          </figcaption>
        </figure>
      )}
    </section>
  );
}
