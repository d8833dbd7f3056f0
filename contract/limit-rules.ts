/** Range and default of each limit, whether PROVIDERS_FILE, a variable or an operator sets it. */
export const limitRules = {
  maxConcurrent: { unit: 'count', max: 1_000, default: 5 },
  requestsPerMinute: { unit: 'count', max: 1_000_000, default: 50 },
  requestsPerHour: { unit: 'count', max: 10_000_000, default: 1_000 },
  burstLimit: { unit: 'count', max: 1_000_000, default: 10 },
  permitSeconds: { unit: 'seconds', max: 3_600, default: 120 },
  breakerFailures: { unit: 'count', max: 1_000, default: 5 },
  breakerSeconds: { unit: 'seconds', max: 3_600, default: 60 },
} as const;
