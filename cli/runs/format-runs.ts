import type { ListedRun } from '../../client/list-runs.ts';
import type { RunState } from '../../contract/server/run-state.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { formatDuration } from '../../client/text/format-duration.ts';
import { fitTable } from '../text/fit-table.ts';
import { phaseName, waitSentence } from '../progress/status-line.ts';

interface FormatOptions {
  now: Date;
  /** Terminal width in characters. */
  width: number | undefined;
}

/** A table of runs: state, percent, time, time left and current activity. */
export function formatRuns(runs: readonly ListedRun[], { now, width }: FormatOptions): string {
  if (runs.length === 0) return 'No runs found.';
  const hasOwners = runs.some(({ record }) => record.owner !== undefined);
  const rows = [
    ['RUN', 'STATE', '%', 'TIME', 'LEFT', ...(hasOwners ? ['OWNER'] : []), ''],
    ...runs.map(({ record, state, status }) => {
      const left = status?.etaSeconds ?? status?.estimatedDelaySeconds;
      return [
        record.workflowId,
        state,
        percentOf(state, status),
        formatDuration(((record.endedAt ?? now).getTime() - record.startedAt.getTime()) / 1000),
        left === undefined ? '' : formatDuration(left),
        ...(hasOwners ? [record.owner ?? ''] : []),
        record.ending === undefined ? doing(status) : '',
      ];
    }),
  ];
  return fitTable(rows, { figures: new Set([2, 3, 4]), width });
}

function doing(status: WorkflowStatus | undefined): string {
  return status === undefined ? 'no worker answers' : (waitSentence(status) ?? phaseName(status));
}

function percentOf(state: RunState, status: WorkflowStatus | undefined): string {
  if (state === 'succeeded') return '100';
  return status === undefined ? '' : String(Math.floor(status.percent));
}
