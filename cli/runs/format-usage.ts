import { formatCount } from '../../client/text/format-count.ts';
import type { UsageRow, UsageView } from '../../contract/server/usage.ts';
import { formatSize } from '../text/format-size.ts';
import { fitTable } from '../text/fit-table.ts';
import { printable } from '../text/printable.ts';

export const leftOutNote = 'There are more runs than one request reads, and the oldest are left out.';

/** A table of what runs used by day and owner, with the sums in its last row. */
export function formatUsage(
  { from, to, rows, total, currency, complete }: UsageView,
  { width }: { width: number | undefined },
): string {
  const period = `${from} to ${to} (UTC)`;
  if (rows.length === 0) return `No run ended from ${period}.`;
  const hasOwners = rows.some(({ owner }) => owner !== undefined);
  const hasCalls = total.providerCalls > 0;
  const cells = (owner: string, sums: UsageView['total']): string[] => [
    ...(hasOwners ? [owner] : []),
    String(sums.runs),
    sums.cpuSeconds.toFixed(1),
    sums.jobSeconds.toFixed(1),
    formatSize(sums.bytesIn),
    formatSize(sums.bytesOut),
    ...(hasCalls ? [String(sums.providerCalls)] : []),
    ...(currency === undefined ? [] : [formatCost(sums.cost)]),
    '',
  ];
  const header = ['RUNS', 'CPU s', 'JOB s', 'IN', 'OUT', ...(hasCalls ? ['CALLS'] : [])];
  const table = fitTable(
    [
      ['DAY', ...(hasOwners ? ['OWNER'] : []), ...header, ...(currency === undefined ? [] : [currency]), ''],
      ...rows.map((row: UsageRow) => [row.day, ...cells(printable(row.owner ?? ''), row)]),
      ['total', ...cells('', total)],
    ],
    { figures: new Set([1, 2, 3, 4, 5, 6, 7].map((column) => column + Number(hasOwners))), width },
  );
  const notes = [
    ...(total.unmeasured === 0 ? [] : [`The sums leave out ${formatCount(total.unmeasured, 'run')} of unknown usage.`]),
    ...(complete ? [] : [leftOutNote]),
    ...(currency === undefined
      ? ['No prices are set, so no cost is shown: PRICE_PER_CPU_HOUR, PRICE_PER_GB_OUT.']
      : []),
  ];
  return [`Usage from ${period}`, table, ...notes].join('\n');
}

/** A second of processor time costs a few millionths, which four decimals would hide. */
function formatCost(cost: number | undefined): string {
  return cost?.toFixed(cost < 0.01 ? 6 : 4) ?? '';
}
