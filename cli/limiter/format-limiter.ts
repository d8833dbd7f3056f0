import { formatCount } from '../../client/text/format-count.ts';
import { formatDuration } from '../../client/text/format-duration.ts';
import type { LimiterDetails, LimitsOverride } from '../../contract/limiter.ts';
import { formatDayAndTime } from '../text/format-time.ts';

/** More lines would push the rest off the screen. */
const maxLines = 10;

/** Formats a limiter, with times in the local time zone. */
export function formatLimiter(
  { key, environment }: { key: string; environment: string },
  details: LimiterDetails,
  now: Date,
): string {
  const { stats } = details;
  const facts = [
    ['state', describeState(details, now)],
    [
      'permits',
      `${stats.permits_in_use} of ${stats.max_concurrent} in use, each for at most ${details.limits.permitSeconds} s`,
    ],
    ['slots', details.slots === null ? 'not reported by any worker yet' : `${details.slots} on all workers`],
    ['last minute', `${stats.requests_last_minute} of ${formatCount(stats.limit_per_minute, 'request')}`],
    ['last hour', `${stats.requests_last_hour} of ${formatCount(stats.limit_per_hour, 'request')}`],
    ['burst', `${stats.burst_tokens_remaining} of ${formatCount(stats.burst_limit, 'token')} left`],
    ['breaker', describeBreaker(details)],
    ['operator override', describeOverride(details)],
  ] as const;
  const labelWidth = Math.max(...facts.map(([name]) => name.length));
  return [
    `${key} in the environment ${environment}`,
    ...facts.map(([name, text]) => `  ${name.padEnd(labelWidth)}  ${text}`),
    ...formatList(
      'in use',
      details.permits.map(
        ({ holder, requestId, expiresAt }) => `${holder}  request ${requestId}, until ${formatEnd(expiresAt, now)}`,
      ),
    ),
    ...formatList(
      `waiting: ${stats.waiting}`,
      details.waiting.map(({ holder, requests }) => `${holder}  ${formatCount(requests, 'request')}`),
    ),
  ].join('\n');
}

function describeState({ stats, breaker }: LimiterDetails, now: Date): string {
  if (stats.throttle_until !== null) {
    return `throttled until ${formatEnd(stats.throttle_until, now)}: ${stats.throttle_reason}`;
  }
  switch (breaker.state) {
    case 'closed':
      return 'granting permits';
    case 'open':
      return `breaker open until ${formatEnd(breaker.until ?? '', now)}`;
    case 'probing':
      return 'breaker half-open: one call tests whether the provider answers again';
  }
}

function describeBreaker({ breaker, limits }: LimiterDetails): string {
  const failures = `${breaker.failuresInRow} of ${formatCount(limits.breakerFailures, 'failure')} in a row`;
  return breaker.state === 'closed' ? failures : `${breaker.state}, after ${failures}`;
}

function describeOverride({ override, settings }: LimiterDetails): string {
  const set = Object.entries(override) as [keyof LimitsOverride, number][];
  if (set.length === 0) return 'none';
  return set.map(([name, value]) => `${name} ${value} (default ${settings[name]})`).join(', ');
}

function formatList(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, maxLines).map((line) => `    ${line}`);
  if (lines.length > maxLines) shown.push(`    … and ${lines.length - maxLines} more`);
  return [`  ${title}`, ...shown];
}

/** "14:05:00, in 12:30" */
function formatEnd(iso: string, now: Date): string {
  const time = new Date(iso);
  return `${formatDayAndTime(time, now)}, in ${formatDuration((time.getTime() - now.getTime()) / 1000)}`;
}
