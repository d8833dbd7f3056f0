import { exitCodeOf, formatTable, type RunReport } from './run-report.ts';

interface WriteOptions {
  /** One source was named: its report is told in full, else there is a table. */
  isSingle: boolean;
  json: boolean;
  startedAtMs: number;
  /** Temporal ends with this command, and its Web UI too. */
  endsWithUs?: boolean;
}

/** The end of a command: results go to standard output, what went wrong to standard error. */
export function writeReports(reports: readonly RunReport[], options: WriteOptions): void {
  const { isSingle, json, startedAtMs } = options;
  const [only] = reports;
  if (json) {
    const runs = reports.map(({ message, ...facts }) => ({ ...facts, ...(isError(facts) && { error: message }) }));
    process.stdout.write(`${JSON.stringify({ runs }, null, 2)}\n`);
  } else if (isSingle && only !== undefined) {
    writeOne(only, options);
  } else {
    process.stdout.write(`${formatTable(reports, Date.now() - startedAtMs)}\n`);
  }
}

function writeOne(report: RunReport, { endsWithUs = false }: WriteOptions): void {
  const { state, message = '', address } = report;
  if (state !== 'succeeded' && state !== 'incomplete') return void process.stderr.write(`${message}\n`);
  const page =
    address === undefined
      ? ''
      : `\nThe run in Temporal's Web UI${endsWithUs ? ', when `npm start` runs' : ''}:\n  ${address}\n`;
  process.stdout.write(`${message}\n${page}`);
}

function isError(report: Pick<RunReport, 'state'>): boolean {
  return exitCodeOf([{ ...report, source: '', target: '', files: [] }]) !== 0;
}
