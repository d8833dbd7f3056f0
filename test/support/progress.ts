import { PassThrough } from 'node:stream';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';

/** Status of a run that encodes. */
export const encoding: WorkflowStatus = {
  phase: 'encode',
  state: 'running',
  percent: 40,
  attempt: 1,
  elapsedSeconds: 0,
  budgetLeftSeconds: 3600,
};

/** A terminal that keeps all text drawn on it. */
export interface DrawnTerminal {
  stream: NodeJS.WriteStream;
  drawn: string;
}

export function terminalOf(columns: number): DrawnTerminal {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns });
  const terminal = { stream: stream as unknown as NodeJS.WriteStream, drawn: '' };
  stream.on('data', (bytes: Buffer) => (terminal.drawn += bytes.toString()));
  return terminal;
}
