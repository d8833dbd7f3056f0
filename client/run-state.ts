import type { RunState } from '../contract/server/run-state.ts';
import type { WorkflowStatus } from '../contract/workflow/status.ts';
import type { RunRecord } from './run-record.ts';

/** The state of a run (pure). `live`: status of an open run from its worker. */
export function stateOfRun({ ending, state }: RunRecord, live: WorkflowStatus | undefined): RunState {
  // A run with missing chunks has a result too.
  if (ending === 'completed') return state === 'failed' ? 'failed' : 'succeeded';
  return ending ?? openState(live?.state) ?? openState(state) ?? 'running';
}

/** A run may report its final state a moment before it ends. */
function openState(state: string | undefined): 'queued' | 'running' | 'waiting' | undefined {
  if (state === 'queued' || state === 'waiting') return state;
  return state === undefined ? undefined : 'running';
}
