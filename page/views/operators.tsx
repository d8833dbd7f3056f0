import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LimiterEntry, LimitersBody } from '../../contract/server/limiters.ts';
import type { QueueView } from '../../contract/server/queue.ts';
import { call, messageOf } from '../api/call.ts';
import { tell } from '../state/notices.ts';
import { can } from '../state/session.ts';
import { texts } from '../texts.ts';
import { formatSpan, formatTime } from '../words/format.ts';
import '../style/operators.css';

const everyMs = 2_000;
const throttleSeconds = 600;

/** For those who look after containers and providers. */
export function Operators() {
  const queue = useSignal<QueueView | undefined>(undefined);
  const limiters = useSignal<readonly LimiterEntry[] | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const load = async (): Promise<void> => {
    try {
      queue.value = await call<QueueView>('GET', '/api/queue');
      if (can('operate')) limiters.value = (await call<LimitersBody>('GET', '/api/limiters')).limiters;
      problem.value = undefined;
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  useEffect(() => {
    void load();
    const timer = setInterval(() => {
      if (!document.hidden) void load();
    }, everyMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="stack">
      <h1>{texts.operators.title}</h1>
      {problem.value !== undefined && (
        <p class="card bad" role="alert">
          {problem.value}
        </p>
      )}
      {queue.value !== undefined && <QueueCards queue={queue.value} />}
      <h2>{texts.operators.limiters}</h2>
      {!can('operate') && <p class="quiet">{texts.operators.notAllowed}</p>}
      {limiters.value?.length === 0 && <p class="quiet">{texts.operators.noLimiters}</p>}
      {limiters.value?.map((limiter) => (
        <Limiter key={limiter.key} limiter={limiter} onChange={() => void load()} />
      ))}
    </div>
  );
}

function QueueCards({ queue: { backlog, oldestSeconds, busy, workers } }: { queue: QueueView }) {
  const line = oldestSeconds === undefined ? texts.operators.noLine : texts.operators.oldest(formatSpan(oldestSeconds));
  return (
    <ul class="figures">
      {[
        { figure: backlog, words: texts.operators.line, more: line },
        { figure: busy, words: texts.operators.busy, more: '' },
        { figure: workers, words: texts.operators.workers, more: '' },
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

function Limiter({ limiter: { key, details, problem }, onChange }: { limiter: LimiterEntry; onChange: () => void }) {
  const change = async (action: 'throttle' | 'resume'): Promise<void> => {
    const body =
      action === 'throttle' ? { seconds: throttleSeconds, reason: texts.operators.throttleReason } : undefined;
    try {
      // The key is `<provider>/<model>`, which the path has as two parts.
      const path = key.split('/').map(encodeURIComponent).join('/');
      await call('POST', `/api/limiters/${path}/${action}`, body === undefined ? {} : { body });
      onChange();
    } catch (error) {
      tell('problem', messageOf(error));
    }
  };
  const stats = details?.stats;
  const isThrottled = stats?.throttled === true;
  return (
    <section class="card limiter" aria-label={key}>
      <h3>{key}</h3>
      {problem !== undefined && <p class="bad">{problem.detail}</p>}
      {stats !== undefined && details !== undefined && (
        <>
          <p>
            {isThrottled && stats.throttle_until !== null
              ? texts.operators.throttled(formatTime(stats.throttle_until))
              : texts.operators.breaker[details.breaker.state]}
            {stats.waiting > 0 && ` · ${texts.operators.waiting(stats.waiting)}`}
          </p>
          <div class="gauges">
            <Gauge words={texts.operators.permits} value={stats.permits_in_use} most={stats.max_concurrent} />
            <Gauge words={texts.operators.requests} value={stats.requests_last_minute} most={stats.limit_per_minute} />
            <Gauge words={texts.operators.hour} value={stats.requests_last_hour} most={stats.limit_per_hour} />
          </div>
          <button type="button" onClick={() => void change(isThrottled ? 'resume' : 'throttle')}>
            {isThrottled ? texts.operators.resume : texts.operators.throttle}
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
