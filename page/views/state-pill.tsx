import type { RunState } from '../../contract/server/run-state.ts';
import { texts } from '../texts.ts';

/** A shape for each state, so that colour is not the only sign. */
const shapes: Record<RunState, string> = {
  queued: 'M3 4h10v1.6H3zM3 7.2h10v1.6H3zM3 10.4h10V12H3z',
  running: 'M5 3.5v9l7.5-4.5z',
  waiting: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zm.7 2.8v3.1l2.3 2.3-1 1-2.7-2.7V4.800z',
  succeeded: 'M6.6 10.300 3.900 7.600l-1.200 1.200 3.900 3.900 7-7-1.200-1.200z',
  failed: 'M8 1.800 14.800 14H1.200zM7.200 6v4h1.600V6zm0 5.200v1.500h1.600v-1.500z',
  cancelled:
    'M4.500 3.300 8 6.800l3.500-3.500 1.200 1.200L9.200 8l3.500 3.500-1.200 1.200L8 9.200l-3.500 3.500-1.200-1.200L6.800 8 3.300 4.500z',
};

export function StatePill({ state }: { state: RunState }) {
  return (
    <span class={`pill ${state}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path fill-rule="evenodd" d={shapes[state]} />
      </svg>
      {texts.states[state]}
    </span>
  );
}
