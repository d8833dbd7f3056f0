import type { RunState } from '../contract/server/run.ts';
import type { WorkflowStatus } from '../contract/workflow/status.ts';
import type { RunRecord } from './run-record.ts';

/** The state of a run (pure). `live`: of one under way, where a worker has answered. */
export function stateOfRun({ ending, state }: RunRecord, live: WorkflowStatus | undefined): RunState {
  // A result may lack chunks.
  if (ending === 'completed') return state === 'failed' ? 'failed' : 'succeeded';
  return ending ?? underWay(live?.state) ?? underWay(state) ?? 'running';
}

/** What a run says of itself at its end is true a moment before it has ended. */
function underWay(state: string | undefined): 'queued' | 'running' | 'waiting' | undefined {
  if (state === 'queued' || state === 'waiting') return state;
  return state === undefined ? undefined : 'running';
}
