import { holdfast } from '../api/holdfast.ts';
import { laterTexts } from '../later-texts.ts';
import { nowMs } from '../state/now.ts';
import { follow, runPath } from '../state/route.ts';
import { usePolled } from '../state/use-polled.ts';
import { formatMoment } from '../words/format.ts';

const everyMs = 60_000;

/** Errors of the runs that failed in the last 24 hours, with advice for each. */
export function ErrorCounts() {
  const { answer, problem } = usePolled(async () => await holdfast.errors(), everyMs);
  const { ended = 0, failed = 0, errors = [] } = answer.value ?? {};
  return (
    <section class="card" aria-labelledby="errors">
      <h2 id="errors">{laterTexts.operators.errors}</h2>
      {problem.value !== undefined && <p class="bad">{problem.value}</p>}
      {answer.value !== undefined && (
        <p class="quiet">{ended === 0 ? laterTexts.operators.noneEnded : laterTexts.operators.failed(failed, ended)}</p>
      )}
      <ul class="errors" hidden={errors.length === 0}>
        {errors.map(({ type, count, lastRun, lastAt }) => (
          <li key={type}>
            <strong>{count}</strong>
            <span>
              {type} <span class="quiet small">{laterTexts.remedies[type]}</span>
            </span>
            <a class="small" href={runPath(lastRun)} onClick={follow}>
              {laterTexts.operators.lastError(formatMoment(lastAt, nowMs.value))}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
