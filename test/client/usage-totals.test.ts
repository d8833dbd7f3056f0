import { describe, expect, test } from 'vitest';
import { usageCsv } from '../../client/usage-csv.ts';
import { sumUsage, type UsedByRun } from '../../client/usage-totals.ts';
import { usagePeriod } from '../../contract/server/usage.ts';
import type { RunUsage } from '../../contract/usage.ts';

const period = { from: '2026-11-01', to: '2026-11-30' };
const free = { currency: 'EUR', perCpuHour: undefined, perGbIn: undefined, perGbOut: undefined };
const prices = { currency: 'EUR', perCpuHour: 0.36, perGbIn: 0, perGbOut: 0.1 };

function run(endedAt: string, owner: string | undefined, usage?: Partial<RunUsage>): UsedByRun {
  const whole = { jobs: 1, seconds: 10, cpuSeconds: 18, bytesIn: 5e9, bytesOut: 2e9, ...usage };
  return { endedAt: new Date(endedAt), owner, usage: usage && whole };
}

const runs = [
  run('2026-11-27T23:59:59.999Z', 'anna', {}),
  run('2026-11-28T00:00:00Z', 'anna', { cpuSeconds: 36 }),
  run('2026-11-28T12:00:00Z', 'ben', {
    providers: { 'a/b': { calls: 3, answered: 2, audioSeconds: 120, cost: 0.012 } },
  }),
  run('2026-11-28T12:00:00Z', 'ben'),
  run('2026-11-28T13:00:00Z', undefined, {}),
];

test('sums usage by the day in UTC and the owner, newest first', () => {
  const { rows, total } = sumUsage(runs, period, prices, true);
  expect(rows.map(({ day, owner, runs: count }) => [day, owner, count])).toEqual([
    ['2026-11-28', undefined, 1],
    ['2026-11-28', 'anna', 1],
    ['2026-11-28', 'ben', 2],
    ['2026-11-27', 'anna', 1],
  ]);
  expect(rows[2]).toMatchObject({ unmeasured: 1, cpuSeconds: 18, providerCalls: 3, providerAudioSeconds: 120 });
  expect(total).toMatchObject({ runs: 5, unmeasured: 1, jobSeconds: 40, cpuSeconds: 90, bytesOut: 8e9 });
});

test('the cost is that of processor hours, gigabytes and provider calls', () => {
  const { rows, total, currency } = sumUsage(runs, period, prices, true);
  // 36 s at 0.36 an hour, and 2 GB at 0.10.
  expect(rows[1]?.cost).toBe(0.2036);
  expect(rows[2]?.cost).toBe(0.2138);
  expect(total.cost).toBe(0.821);
  expect(currency).toBe('EUR');
});

test('shows only the cost of provider calls if there are no prices', () => {
  const { rows, currency } = sumUsage(runs, period, free, true);
  expect(rows.map(({ cost }) => cost)).toEqual([undefined, undefined, 0.012, undefined]);
  expect(currency).toBe('EUR');
  const withoutCalls = sumUsage(runs.slice(0, 2), period, free, true);
  expect(withoutCalls.total).not.toHaveProperty('cost');
  expect(withoutCalls).not.toHaveProperty('currency');
});

test('the CSV has a row for each day and owner, and quotes names that are formulas or have commas', () => {
  const odd = [run('2026-11-28T00:00:00Z', '=1+1, Inc.', {}), run('2026-11-28T00:00:00Z', 'anna', { cpuSeconds: 0 })];
  const [header, ...lines] = usageCsv(sumUsage(odd, period, prices, true)).split('\r\n');
  expect(header).toBe(
    'day,owner,runs,unmeasured,jobSeconds,cpuSeconds,bytesIn,bytesOut,providerCalls,providerAudioSeconds,cost,currency',
  );
  expect(lines).toEqual([
    `2026-11-28,"'=1+1, Inc.",1,0,10,18,5000000000,2000000000,0,0,0.2018,EUR`,
    '2026-11-28,anna,1,0,10,0,5000000000,2000000000,0,0,0.2,EUR',
    '',
  ]);
  expect(usageCsv(sumUsage(odd, period, free, true)).split('\r\n')[0]).toMatch(/providerAudioSeconds$/);
});

describe('the period', () => {
  const now = new Date('2026-11-28T23:00:00Z');

  test('the default period is the last thirty days', () => {
    expect(usagePeriod({}, now)).toEqual({ from: '2026-10-30', to: '2026-11-28' });
    expect(usagePeriod({ to: '2026-03-01' }, now)).toEqual({ from: '2026-01-31', to: '2026-03-01' });
  });

  test.each([
    [{ from: '2026-11-28', to: '2026-11-27' }, 'The first day, 2026-11-28, is after the last day, 2026-11-27.'],
    [{ from: '2025-11-27', to: '2026-11-28' }, 'A period has at most 366 days.'],
  ])('%j is refused: %s', (days, sentence) => {
    expect(usagePeriod(days, now)).toBe(sentence);
  });
});
