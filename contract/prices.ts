import type { RunUsage } from './usage.ts';

/** Prices of resources. Prices of providers are in the worker's PROVIDERS_FILE. */
export interface Prices {
  /** ISO 4217 */
  currency: string;
  perCpuHour: number | undefined;
  /** Per 10⁹ bytes. */
  perGbIn: number | undefined;
  perGbOut: number | undefined;
}

/** Cost of a run; undefined if nothing that the run used has a price. */
export function costOf(
  { cpuSeconds, bytesIn, bytesOut, providers = {} }: Omit<RunUsage, 'jobs' | 'seconds'>,
  { perCpuHour, perGbIn, perGbOut }: Prices,
): number | undefined {
  const parts = [
    priced(cpuSeconds, perCpuHour, 3600),
    priced(bytesIn, perGbIn, 1e9),
    priced(bytesOut, perGbOut, 1e9),
    ...Object.values(providers).map(({ cost }) => cost),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : roundCost(parts.reduce((sum, part) => sum + part, 0));
}

/** Costs have six decimals: a second of processor time costs a few millionths. */
export function roundCost(cost: number): number {
  return Math.round(cost * 1e6) / 1e6;
}

function priced(amount: number | undefined, price: number | undefined, unit: number): number | undefined {
  return amount === undefined || price === undefined ? undefined : (amount / unit) * price;
}
