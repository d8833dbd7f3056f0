import type { RunDetails } from '../../contract/server/run.ts';

/** Outputs of the run's input; empty for workflows without outputs. */
export function wantedOutputs({ input }: Pick<RunDetails, 'input'>): readonly Record<string, unknown>[] {
  return Array.isArray(input['outputs']) ? (input['outputs'] as Record<string, unknown>[]) : [];
}

/** Start of an output in its source, in seconds. */
export function beginningOf(run: Pick<RunDetails, 'input'>, index = 0): number {
  return trimOf(run, index).start ?? 0;
}

/** End of an output in its source, in seconds; undefined without a trimmed end. */
export function endOf(run: Pick<RunDetails, 'input'>, index = 0): number | undefined {
  return trimOf(run, index).end;
}

function trimOf(run: Pick<RunDetails, 'input'>, index: number): Partial<Record<'start' | 'end', number>> {
  const trim = wantedOutputs(run)[index]?.['trim'] as Partial<Record<'start' | 'end', unknown>> | null | undefined;
  const [start, end] = [trim?.start, trim?.end];
  return { ...(typeof start === 'number' && { start }), ...(typeof end === 'number' && { end }) };
}
