import { basename, isAbsolute } from 'node:path';
import { redactUrl } from '../../contract/shown-url.ts';
import { formatCount } from '../../client/text/format-count.ts';
import type { NamedSource } from '../media/named-source.ts';
import { formatPath } from '../text/format-path.ts';
import { fitTable } from '../text/fit-table.ts';
import { printable } from '../text/printable.ts';

export interface RunFacts {
  /** "talk.wav → mp3_128" */
  title: string;
  /** Absolute path, or URL without secrets. */
  source: string;
  target: string;
  workflowId?: string;
  runId?: string;
  /** URL of the run in Temporal's Web UI. */
  address?: string;
}

/** A run's part of the table of several runs. */
export interface RunSummary {
  /** "-24.6 → -16.0 LUFS"; undefined if no output has a loudness. */
  loudness: string | undefined;
  /** Sentences below the table. */
  notes: string[];
}

/** Result of one source, for the terminal and for `--json`. */
export interface RunReport extends RunFacts {
  /** `incomplete`: the run succeeded in part. `undelivered`: its files exist, but could not be moved to their destination. */
  state: 'succeeded' | 'incomplete' | 'failed' | 'cancelled' | 'undelivered' | 'detached' | 'skipped';
  tookSeconds?: number;
  /** Paths or URLs of the outputs. */
  files: string[];
  /** Text for the terminal. */
  message?: string;
  result?: unknown;
  summary?: RunSummary;
}

const goodStates: ReadonlySet<RunReport['state']> = new Set(['succeeded', 'skipped', 'detached']);

export function exitCodeOf(reports: readonly RunReport[]): number {
  return reports.some(({ state }) => isError(state)) ? 1 : 0;
}

export function isError(state: RunReport['state']): boolean {
  return !goodStates.has(state);
}

export function showSource(source: NamedSource): string {
  return source.kind === 'file' ? source.path : redactUrl(source.url);
}

/** "talk.wav → mp3_128" */
export function formatTitle({ source, target }: { source: NamedSource; target: string }): string {
  return `${source.kind === 'file' ? printable(basename(source.path)) : showSource(source)} → ${target}`;
}

/** Longer messages are cut in the table; they were printed in full when the run ended. */
const maxMessageLength = 200;

const margin = '  ';

/** Right-aligned columns. */
const figureColumns: ReadonlySet<number> = new Set([2, 3]);

/** One line for each source, failed ones last, then the notes and a summary. */
export function formatTable(reports: readonly RunReport[], tookMs: number, userFolder: string, width?: number): string {
  const shownSource = (source: string): string =>
    printable(isAbsolute(source) ? formatPath(source, userFolder) : source);
  const failedLast = reports.toSorted((one, other) => Number(isError(one.state)) - Number(isError(other.state)));
  const rows = failedLast.map(({ source, state, tookSeconds, files, summary, message = '' }) => [
    shownSource(source),
    state,
    tookSeconds === undefined ? '' : `${tookSeconds.toFixed(1)} s`,
    summary?.loudness ?? '',
    files.length > 3 ? formatCount(files.length, 'file') : printable(files.join(', ')) || firstLine(message),
  ]);
  const table =
    rows.length === 0 ? '' : fitTable(rows, { figures: figureColumns, width: width && width - margin.length });
  const lines = table === '' ? [] : table.split('\n').map((line) => margin + line);
  const notes = reports.flatMap(({ source, summary }) =>
    (summary?.notes ?? []).map((note) => `${shownSource(source)}: ${printable(note)}`),
  );
  return [...lines, ...notes, `${formatStates(reports)} in ${(tookMs / 1000).toFixed(1)} s`].join('\n');
}

/** "11 succeeded, 1 failed" */
function formatStates(reports: readonly RunReport[]): string {
  const counts = new Map<string, number>();
  for (const { state } of reports) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}

function firstLine(text: string): string {
  const line = text.split('\n')[0] ?? '';
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength - 1)}…` : line;
}
