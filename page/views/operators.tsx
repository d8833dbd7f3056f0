import type { LimiterEntry } from '../../contract/server/limiters.ts';
import type { ContainerView, QueueView } from '../../contract/server/queue.ts';
import { holdfast } from '../api/holdfast.ts';
import { laterTexts } from '../later-texts.ts';
import { orTell } from '../state/or-tell.ts';
// Reports runs that end also while this view is shown.
import '../state/notifications.ts';
import { nowMs } from '../state/now.ts';
import { follow, runPath } from '../state/route.ts';
import { can } from '../state/session.ts';
import { usePolled } from '../state/use-polled.ts';
import { progressTexts } from '../progress-texts.ts';
import { formatMoment, formatSpan, formatTime } from '../words/format.ts';
import { phaseWords } from '../words/progress-words.ts';
import { ErrorCounts } from './error-counts.tsx';
import { IdWords } from './id-words.tsx';
import { later } from './later.tsx';
import { QueuePicture } from './queue-picture.tsx';
import '../style/operators.css';

const Usage = later(async () => (await import('./usage.tsx')).Usage);

const everyMs = 2_000;
const throttleSeconds = 600;

export function Operators() {
  const { answer: queue, problem } = usePolled(async () => await holdfast.queue(), everyMs);
  return (
    <div class="stack">
      <h1>{laterTexts.operators.title}</h1>
      {problem.value !== undefined && (
        <p class="card bad" role="alert">
          {problem.value}
        </p>
      )}
      {queue.value !== undefined && <QueueCards queue={queue.value} />}
      {queue.value?.containers !== undefined && <Containers containers={queue.value.containers} />}
      <QueuePicture />
      <ErrorCounts />
      <Usage />
      <Limiters />
    </div>
  );
}

function QueueCards({ queue: { backlog, oldestSeconds, busy, ready, typicalSeconds, workers } }: { queue: QueueView }) {
  const line =
    oldestSeconds === undefined ? laterTexts.operators.noLine : laterTexts.operators.oldest(formatSpan(oldestSeconds));
  return (
    <ul class="figures">
      {[
        { figure: backlog, words: laterTexts.operators.line, more: line },
        {
          figure: busy,
          words: laterTexts.operators.busy,
          more: typicalSeconds === undefined ? '' : laterTexts.operators.typical(formatSpan(typicalSeconds)),
        },
        { figure: ready, words: laterTexts.operators.ready, more: '' },
        { figure: workers, words: laterTexts.operators.workers(workers), more: '' },
      ].map(({ figure, words, more }) => (
        <li key={words} class="card">
          <strong>{figure}</strong>
          <span>{words}</span>
          <span class="quiet small">{more}</span>
        </li>
      ))}
    </ul>
  );
}

function Containers({ containers }: { containers: readonly ContainerView[] }) {
  if (containers.length === 0) return <p class="quiet">{laterTexts.operators.noContainers}</p>;
  return (
    <ul class="containers">
      {containers.map(({ containerUrl, machine, state, since, version, run }) => (
        <li key={`${machine ?? ''} ${containerUrl}`} class="card">
          <strong>{[containerUrl, machine].filter((part) => part !== undefined).join(' · ')}</strong>
          <span class={state === 'busy' ? undefined : 'good'}>
            {state === 'busy' ? laterTexts.operators.works : laterTexts.operators.waits}{' '}
            {formatMoment(since, nowMs.value)}
          </span>
          {run !== undefined && (
            <span>
              <a href={runPath(run.id)} onClick={follow}>
                <IdWords id={run.id} />
              </a>{' '}
              {[
                phaseWords(run.phase),
                run.percent === undefined ? '' : progressTexts.progress.percent(Math.round(run.percent)),
              ]
                .filter((part) => part !== '')
                .join(' · ')}
            </span>
          )}
          {version !== undefined && <span class="quiet small">{laterTexts.operators.version(version)}</span>}
        </li>
      ))}
    </ul>
  );
}

function Limiters() {
  const isAllowed = can('operate');
  const ask = async (): Promise<LimiterEntry[]> => (isAllowed ? await holdfast.limiters() : []);
  const { answer: limiters, problem, load } = usePolled(ask, everyMs);
  return (
    <>
      <h2>{laterTexts.operators.limiters}</h2>
      {problem.value !== undefined && <p class="bad">{problem.value}</p>}
      {!isAllowed && <p class="quiet">{laterTexts.operators.notAllowed}</p>}
      {isAllowed && limiters.value?.length === 0 && <p class="quiet">{laterTexts.operators.noLimiters}</p>}
      {limiters.value?.map((limiter) => (
        <Limiter key={limiter.key} limiter={limiter} onChange={() => void load()} />
      ))}
    </>
  );
}

function Limiter({ limiter: { key, details, problem }, onChange }: { limiter: LimiterEntry; onChange: () => void }) {
  const stats = details?.stats;
  const isThrottled = stats?.throttled === true;
  const isHeldBack = isThrottled || details?.breaker.state === 'open';
  const change = async (): Promise<void> => {
    if (isHeldBack) await holdfast.resume(key);
    else await holdfast.throttle(key, { seconds: throttleSeconds, reason: laterTexts.operators.throttleReason });
    onChange();
  };
  return (
    <section class="card limiter" aria-label={key}>
      <h3>{key}</h3>
      {problem !== undefined && <p class="bad">{problem.detail}</p>}
      {stats !== undefined && details !== undefined && (
        <>
          <p>
            {isThrottled && stats.throttle_until !== null
              ? laterTexts.operators.throttled(formatTime(stats.throttle_until))
              : laterTexts.operators.breaker[details.breaker.state]}
            {stats.waiting > 0 && ` · ${laterTexts.operators.waiting(stats.waiting)}`}
          </p>
          <div class="gauges">
            <Gauge words={laterTexts.operators.permits} value={stats.permits_in_use} most={stats.max_concurrent} />
            <Gauge
              words={laterTexts.operators.requests}
              value={stats.requests_last_minute}
              most={stats.limit_per_minute}
            />
            <Gauge words={laterTexts.operators.hour} value={stats.requests_last_hour} most={stats.limit_per_hour} />
          </div>
          <button type="button" onClick={() => void orTell(change)}>
            {isHeldBack ? laterTexts.operators.resume : laterTexts.operators.throttle}
          </button>
        </>
      )}
    </section>
  );
}

function Gauge({ words, value, most }: { words: string; value: number; most: number }) {
  return (
    <label class="gauge small">
      {words}
      <meter min={0} max={Math.max(1, most)} value={value} high={most * 0.85} />
      <span class="quiet">
        {value} / {most}
      </span>
    </label>
  );
}
