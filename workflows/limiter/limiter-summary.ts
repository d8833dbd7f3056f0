import type { LimiterStats } from '../../contract/limiter.ts';

export function limiterSummary(key: string, stats: LimiterStats): string {
  const lines = [
    `**${key}** · ${stats.permits_in_use} of ${stats.max_concurrent} permits in use · ${stats.waiting} waiting`,
    '',
    `${stats.requests_last_minute} of ${stats.limit_per_minute} requests in the last minute, ` +
      `${stats.requests_last_hour} of ${stats.limit_per_hour} in the last hour`,
  ];
  if (stats.throttled) lines.push('', `Throttled until ${stats.throttle_until}: ${stats.throttle_reason}`);
  return lines.join('\n');
}
