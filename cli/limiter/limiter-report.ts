import type { LimiterDetails, LimitsOverride } from '../../contract/limiter.ts';
import { counted } from '../progress/counted.ts';
import { dayAndTime, shownDuration } from '../progress/status-line.ts';

/** Of a long list only the beginning is worth a screen. */
const shownLines = 10;

/** A limiter as a person reads it, in their own time zone. */
export function limiterReport(
  { key, environment }: { key: string; environment: string },
  details: LimiterDetails,
  now: Date,
): string {
  const { stats } = details;
  const facts = [
    ['state', stateSentence(details, now)],
    [
      'permits',
      `${stats.permits_in_use} of ${stats.max_concurrent} in use, each for ${details.limits.permitSeconds} s at most`,
    ],
    ['last minute', `${stats.requests_last_minute} of ${counted(stats.limit_per_minute, 'request')}`],
    ['last hour', `${stats.requests_last_hour} of ${counted(stats.limit_per_hour, 'request')}`],
    ['bursts', `${stats.burst_tokens_remaining} of ${counted(stats.burst_limit, 'token')} left`],
    ['breaker', breakerSentence(details)],
    ['set by hand', byHandSentence(details)],
  ] as const;
  return [
    `${key} in the environment ${environment}`,
    ...facts.map(([name, text]) => `  ${name.padEnd(11)}  ${text}`),
    ...list(
      'in use',
      details.permits.map(
        ({ holder, requestId, expiresAt }) => `${holder}  request ${requestId}, until ${shownTime(expiresAt, now)}`,
      ),
    ),
    ...list(
      `waiting: ${stats.waiting}`,
      details.waiting.map(({ holder, requests }) => `${holder}  ${counted(requests, 'request')}`),
    ),
  ].join('\n');
}

function stateSentence({ stats, breaker }: LimiterDetails, now: Date): string {
  if (stats.throttle_until !== null) {
    return `throttled until ${shownTime(stats.throttle_until, now)}: ${stats.throttle_reason}`;
  }
  switch (breaker.state) {
    case 'closed':
      return 'open';
    case 'open':
      return `closed by its breaker until ${shownTime(breaker.until ?? '', now)}`;
    case 'probing':
      return 'closed by its breaker, but for one call that tries whether the provider answers again';
  }
}

function breakerSentence({ breaker, limits }: LimiterDetails): string {
  const failures = `${breaker.failuresInRow} of ${counted(limits.breakerFailures, 'failure')} in a row`;
  return breaker.state === 'closed' ? failures : `${breaker.state}, after ${failures}`;
}

function byHandSentence({ override, settings }: LimiterDetails): string {
  const set = Object.entries(override) as [keyof LimitsOverride, number][];
  if (set.length === 0) return 'nothing';
  return set.map(([name, value]) => `${name} ${value} (else ${settings[name]})`).join(', ');
}

function list(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, shownLines).map((line) => `    ${line}`);
  if (lines.length > shownLines) shown.push(`    … and ${lines.length - shownLines} more`);
  return [`  ${title}`, ...shown];
}

/** "14:05:00, in 12:30" */
function shownTime(iso: string, now: Date): string {
  const time = new Date(iso);
  return `${dayAndTime(time, now)}, in ${shownDuration((time.getTime() - now.getTime()) / 1000)}`;
}
