import type { RunDetails } from '../../contract/server/run.ts';

/** Outputs of the run's input; empty for workflows without outputs. */
export function wantedOutputs({ input }: Pick<RunDetails, 'input'>): readonly Record<string, unknown>[] {
  return Array.isArray(input['outputs']) ? (input['outputs'] as Record<string, unknown>[]) : [];
}

/** Start of an output in its source, in seconds. */
export function beginningOf(run: Pick<RunDetails, 'input'>, index = 0): number {
  const trim = wantedOutputs(run)[index]?.['trim'] as { start?: unknown } | null | undefined;
  return typeof trim?.start === 'number' ? trim.start : 0;
}
