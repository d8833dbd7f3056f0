import { roundToMilliseconds } from '../contract/milliseconds.ts';
import { costOf, type Prices, roundCost } from '../contract/prices.ts';
import type { UsagePeriod, UsageRow, UsageView } from '../contract/server/usage.ts';
import type { RunUsage } from '../contract/usage.ts';

/** A run that has ended; `usage` is undefined if it is not known. */
export interface UsedByRun {
  endedAt: Date;
  owner: string | undefined;
  usage: RunUsage | undefined;
}

type Sums = UsageView['total'];

const nothing: Sums = {
  runs: 0,
  unmeasured: 0,
  jobSeconds: 0,
  cpuSeconds: 0,
  bytesIn: 0,
  bytesOut: 0,
  providerCalls: 0,
  providerAudioSeconds: 0,
};

/** Sums the usage of runs by day and owner (pure). */
export function sumUsage(
  runs: readonly UsedByRun[],
  period: UsagePeriod,
  prices: Prices,
  isComplete: boolean,
): UsageView {
  const rows = new Map<string, UsageRow>();
  let total = nothing;
  for (const run of runs) {
    const day = run.endedAt.toISOString().slice(0, 10);
    const { owner } = run;
    const key = JSON.stringify([day, owner]);
    rows.set(key, { day, ...(owner !== undefined && { owner }), ...withRun(rows.get(key) ?? nothing, run, prices) });
    total = withRun(total, run, prices);
  }
  return {
    ...period,
    complete: isComplete,
    ...(total.cost !== undefined && { currency: prices.currency }),
    rows: [...rows.values()].toSorted((a, b) => compare(b.day, a.day) || compare(a.owner ?? '', b.owner ?? '')),
    total,
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function withRun({ cost, ...sums }: Sums, { usage }: UsedByRun, prices: Prices): Sums {
  const runs = sums.runs + 1;
  if (usage === undefined)
    return { ...sums, runs, unmeasured: sums.unmeasured + 1, ...(cost !== undefined && { cost }) };
  const calls = Object.values(usage.providers ?? {});
  const added = costOf(usage, prices);
  return {
    runs,
    unmeasured: sums.unmeasured,
    jobSeconds: roundToMilliseconds(sums.jobSeconds + usage.seconds),
    cpuSeconds: roundToMilliseconds(sums.cpuSeconds + (usage.cpuSeconds ?? 0)),
    bytesIn: sums.bytesIn + usage.bytesIn,
    bytesOut: sums.bytesOut + usage.bytesOut,
    providerCalls: calls.reduce((sum, one) => sum + one.calls, sums.providerCalls),
    providerAudioSeconds: roundToMilliseconds(
      calls.reduce((sum, { audioSeconds }) => sum + audioSeconds, sums.providerAudioSeconds),
    ),
    ...((cost ?? added) !== undefined && { cost: roundCost((cost ?? 0) + (added ?? 0)) }),
  };
}
