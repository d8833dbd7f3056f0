import { formatTable, isError, type RunReport } from './run-report.ts';

interface WriteOptions {
  /** One source gets a full report, several get a table. */
  isSingle: boolean;
  json: boolean;
  startedAtMs: number;
  /** Paths are shown relative to this folder. */
  userFolder: string;
  /** Temporal and its Web UI stop with this command. */
  endsWithUs?: boolean;
}

/** Writes results to standard output and errors to standard error. */
export function writeReports(reports: readonly RunReport[], options: WriteOptions): void {
  const { isSingle, json, startedAtMs, userFolder } = options;
  const [only] = reports;
  if (json) {
    const runs = reports.map(describeReport);
    process.stdout.write(`${JSON.stringify({ runs }, null, 2)}\n`);
  } else if (isSingle && only !== undefined) {
    writeOne(only, options);
  } else {
    const width = process.stdout.isTTY ? process.stdout.columns : undefined;
    process.stdout.write(`${formatTable(reports, Date.now() - startedAtMs, userFolder, width)}\n`);
  }
}

function writeOne(report: RunReport, { endsWithUs = false }: WriteOptions): void {
  const { title, state, message = '', address } = report;
  if (isError(state) && state !== 'incomplete') {
    process.stderr.write(`${state === 'failed' ? `${title} failed.\n` : ''}${message}\n`);
    return;
  }
  const hasPage = address !== undefined && state !== 'detached' && state !== 'skipped';
  const when = endsWithUs ? ', while `npx holdfast start` runs' : '';
  const page = hasPage ? `\nThe run in Temporal's Web UI${when}:\n  ${address}\n` : '';
  process.stdout.write(`${message}\n${page}`);
}

/** A run in the `--json` output. */
export function describeReport(report: RunReport): object {
  const { title, message, summary: _, ...facts } = report;
  return { title, ...facts, ...(isError(facts.state) && { error: message }) };
}
