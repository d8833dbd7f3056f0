import { parse } from 'node:path';
import type { ListedRun } from '../../client/list-runs.ts';
import type { RunRecord } from '../../client/run-record.ts';
import type { RunState } from '../../contract/server/run-state.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { formatDuration } from '../../client/text/format-duration.ts';
import { fitLine } from '../text/fit-line.ts';
import { fitTable, tableIndent } from '../text/fit-table.ts';
import { formatDayAndMinute } from '../text/format-time.ts';
import { printable } from '../text/printable.ts';
import { phaseName, waitSentence } from '../progress/status-line.ts';

interface FormatOptions {
  now: Date;
  /** Terminal width in characters. */
  width: number | undefined;
}

/** A table of runs: state, percent, start, time, time left, and the current activity or why a run failed. */
export function formatRuns(runs: readonly ListedRun[], { now, width }: FormatOptions): string {
  if (runs.length === 0) return 'No runs found.';
  const hasOwners = runs.some(({ record }) => record.owner !== undefined);
  const rows = [
    ['RUN', 'STATE', '%', 'STARTED', 'TIME', 'LEFT', ...(hasOwners ? ['OWNER'] : []), ''],
    ...runs.map(({ record, state, status, failure }) => {
      const left = status?.etaSeconds ?? status?.estimatedDelaySeconds;
      return [
        record.workflowId,
        state,
        percentOf(state, status),
        formatDayAndMinute(record.startedAt, now),
        formatDuration(((record.endedAt ?? now).getTime() - record.startedAt.getTime()) / 1000),
        left === undefined ? '' : formatDuration(left),
        ...(hasOwners ? [record.owner ?? ''] : []),
        lastCell([nameBeside(record), record.ending === undefined ? doing(status) : failure], width),
      ];
    }),
  ];
  return fitTable(rows, { figures: new Set([2, 4, 5]), width });
}

function doing(status: WorkflowStatus | undefined): string {
  return status === undefined ? 'no worker answers' : (waitSentence(status) ?? phaseName(status));
}

function percentOf(state: RunState, status: WorkflowStatus | undefined): string {
  if (state === 'succeeded') return '100';
  return status === undefined ? '' : String(Math.floor(status.percent));
}

/** The source's name if the id does not tell it: ids of the page are random. */
function nameBeside({ workflowId, source }: RunRecord): string | undefined {
  if (source === undefined) return undefined;
  const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');
  return letters(workflowId).includes(letters(parse(source).name)) ? undefined : source;
}

/** Texts on one line. It is cut at the width of the terminal; `runs show` has all of a reason. */
function lastCell(texts: readonly (string | undefined)[], width: number | undefined): string {
  const text = printable(
    texts
      .filter((part) => part !== undefined)
      .join(': ')
      .replaceAll('\n', ' '),
  );
  return width === undefined ? text : fitLine([{ text, rank: 0 }], width - tableIndent);
}
