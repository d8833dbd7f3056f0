import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { UsageView } from '../../contract/server/usage.ts';
import { holdfast, messageOf } from '../api/holdfast.ts';
import { laterTexts } from '../later-texts.ts';
import { orTell } from '../state/or-tell.ts';
import { saveFile } from '../state/save-file.ts';
import { formatBytes, formatSpan } from '../words/format.ts';
import { Problem } from './problem.tsx';
import '../style/usage.css';

const periods = [7, 30, 90];
const words = laterTexts.operators;

/** What the runs of a period used, by day and owner, with their cost if the server has prices. */
export function Usage() {
  const days = useSignal(30);
  const usage = useSignal<UsageView | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const asked = days.value;
  useEffect(() => {
    let isCurrent = true;
    const show = async (): Promise<void> => {
      try {
        const read = await holdfast.usage({ from: firstDay(asked) });
        if (!isCurrent) return;
        usage.value = read;
        problem.value = undefined;
      } catch (error) {
        if (isCurrent) problem.value = messageOf(error);
      }
    };
    void show();
    return () => void (isCurrent = false);
  }, [asked]);
  const { value } = usage;
  return (
    <section class="card" aria-labelledby="usage">
      <h2 id="usage">{words.usage}</h2>
      <p class="usage-choice">
        <label>
          {words.usageDays}{' '}
          <select value={asked} onChange={(event) => (days.value = Number(event.currentTarget.value))}>
            {periods.map((period) => (
              <option key={period} value={period}>
                {words.lastDays(period)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => void saveCsv(firstDay(asked))}>
          {words.csv}
        </button>
      </p>
      <Problem text={problem.value} />
      {value?.rows.length === 0 && <p class="quiet">{words.noUsage}</p>}
      {value !== undefined && value.rows.length > 0 && <Table usage={value} />}
      <p class="quiet small">
        {[
          words.usageNote,
          (value?.total.unmeasured ?? 0) > 0 && words.unmeasured(value?.total.unmeasured ?? 0),
          value?.complete === false && words.incomplete,
        ]
          .filter((note) => note !== false)
          .join(' ')}
      </p>
    </section>
  );
}

function Table({ usage: { rows, total, currency } }: { usage: UsageView }) {
  const hasOwners = rows.some(({ owner }) => owner !== undefined);
  const hasCalls = total.providerCalls > 0;
  const cells = (sums: UsageView['total']) => (
    <>
      {/* A phone shows only the first columns without scrolling. */}
      {currency !== undefined && <td>{sums.cost?.toFixed(sums.cost < 0.01 ? 6 : 4)}</td>}
      <td>{sums.runs}</td>
      <td>{formatSpan(sums.cpuSeconds)}</td>
      <td>{formatBytes(sums.bytesIn)}</td>
      <td>{formatBytes(sums.bytesOut)}</td>
      {hasCalls && <td>{sums.providerCalls}</td>}
    </>
  );
  const { columns } = words;
  return (
    <div class="usage-table" role="region" aria-labelledby="usage" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{columns.day}</th>
            {hasOwners && (
              <th scope="col" class="owner">
                {columns.owner}
              </th>
            )}
            {currency !== undefined && <th scope="col">{columns.cost(currency)}</th>}
            <th scope="col">{columns.runs}</th>
            <th scope="col">{columns.cpu}</th>
            <th scope="col">{columns.in}</th>
            <th scope="col">{columns.out}</th>
            {hasCalls && <th scope="col">{columns.calls}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.day} ${row.owner ?? ''}`}>
              <th scope="row">{row.day}</th>
              {hasOwners && <td class="owner">{row.owner}</td>}
              {cells(row)}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={hasOwners ? 2 : 1}>
              {words.total}
            </th>
            {cells(total)}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

/** The first of so many days that end today, in UTC. */
function firstDay(days: number): string {
  return new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
}

const saveCsv = (from: string): Promise<boolean> =>
  orTell(async () => saveFile(`usage-${from}.csv`, 'text/csv', await holdfast.usageCsv({ from })));
