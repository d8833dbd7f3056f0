import { widthOf, wrapText } from '../text/wrap-text.ts';
import { formatTable, isError, type RunReport } from './run-report.ts';

interface WriteOptions {
  /** One source gets a full report, several get a table. */
  isSingle: boolean;
  json: boolean;
  startedAtMs: number;
  /** Paths are shown relative to this folder. */
  userFolder: string;
  /** The same command with `--skip-existing` would run only the sources that failed. */
  isRepeatable?: boolean;
  /** Temporal and its Web UI stop with this command. */
  endsWithUs?: boolean;
}

/** Writes results to standard output and errors to standard error. */
export function writeReports(reports: readonly RunReport[], options: WriteOptions): void {
  const { isSingle, json, startedAtMs, userFolder, isRepeatable = false } = options;
  const [only] = reports;
  if (json) {
    const runs = reports.map(describeReport);
    process.stdout.write(`${JSON.stringify({ runs }, null, 2)}\n`);
  } else if (isSingle && only !== undefined) {
    writeOne(only, options);
  } else {
    process.stdout.write(`${formatTable(reports, Date.now() - startedAtMs, userFolder, widthOf(process.stdout))}\n`);
    const failed = reports.filter(({ state }) => isError(state));
    // The folder of an incomplete run has files, so it would be skipped. An undelivered run needs no repetition.
    const hasResults = failed.some(({ state }) => state === 'incomplete' || state === 'undelivered');
    if (isRepeatable && failed.length > 0 && !hasResults)
      process.stderr.write('To repeat only what failed, run the command again with --skip-existing.\n');
  }
}

function writeOne(report: RunReport, { endsWithUs = false }: WriteOptions): void {
  const { title, state, message = '', address } = report;
  if (isError(state) && state !== 'incomplete') {
    const reason = state === 'failed' ? `${title} failed.\n${wrapText(message, widthOf(process.stderr))}` : message;
    process.stderr.write(`${reason}\n`);
    return;
  }
  const hasPage = address !== undefined && state !== 'detached' && state !== 'skipped';
  const when = endsWithUs ? ', while `npx holdfast start` runs' : '';
  const page = hasPage ? `\nThe run in Temporal's Web UI${when}:\n  ${address}\n` : '';
  // Commands in the message of a detached run stay on one line, so that they can be copied.
  const text = state === 'detached' ? message : wrapText(message, widthOf(process.stdout));
  process.stdout.write(`${text}\n${page}`);
}

/** A run in the `--json` output. */
export function describeReport(report: RunReport): object {
  const { title, message, summary: _, ...facts } = report;
  return { title, ...facts, ...(isError(facts.state) && { error: message }) };
}
