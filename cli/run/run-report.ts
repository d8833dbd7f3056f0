import { basename, isAbsolute } from 'node:path';
import { redactUrl } from '../../contract/shown-url.ts';
import { formatCount } from '../../client/text/format-count.ts';
import type { NamedSource } from '../media/named-source.ts';
import { formatPath } from '../text/format-path.ts';
import { printable } from '../text/printable.ts';

/** Which run a report is of. */
export interface RunFacts {
  /** "talk.wav → mp3_128" */
  title: string;
  /** The path of a file of this machine, whole; or a URL, without secrets. */
  source: string;
  target: string;
  workflowId?: string;
  runId?: string;
  /** Of its page in Temporal's Web UI. */
  address?: string;
}

/** A run's part of the table of many. */
export interface RunSummary {
  /** "-24.6 → -16.0 LUFS"; undefined where none of its outputs was to have a loudness */
  loudness: string | undefined;
  /** Sentences that go under the table. */
  notes: string[];
}

/** How one source of a command ended, for a person and for `--json`. */
export interface RunReport extends RunFacts {
  /** `incomplete`: it ended well, and not all that was asked was done. `undelivered`: its files are there, though not where they belong. */
  state: 'succeeded' | 'incomplete' | 'failed' | 'cancelled' | 'undelivered' | 'detached' | 'skipped';
  tookSeconds?: number;
  /** Where the outputs are. */
  files: string[];
  /** What there is to say of its end besides. */
  message?: string;
  /** The workflow's. */
  result?: unknown;
  summary?: RunSummary;
}

const goodStates: ReadonlySet<RunReport['state']> = new Set(['succeeded', 'skipped', 'detached']);

/** The worst of them decides. */
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

/** A longer message would break the table; it was printed in full when the run ended. */
const maxMessageLength = 80;

/** Columns of figures, which stand at the right. */
const figureColumns: ReadonlySet<number> = new Set([2, 3]);

/** One line for each source, the notes on what came of them, and one line for all. */
export function formatTable(reports: readonly RunReport[], tookMs: number, userFolder: string): string {
  const shownSource = (source: string): string =>
    printable(isAbsolute(source) ? formatPath(source, userFolder) : source);
  const rows = reports.map(({ source, state, tookSeconds, files, summary, message = '' }) => [
    shownSource(source),
    state,
    tookSeconds === undefined ? '' : `${tookSeconds.toFixed(1)} s`,
    summary?.loudness ?? '',
    files.length > 3 ? formatCount(files.length, 'file') : printable(files.join(', ')) || firstLine(message),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) =>
      figureColumns.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    return `  ${cells.filter((_, column) => (widths[column] ?? 0) > 0).join('  ')}`.trimEnd();
  });
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
