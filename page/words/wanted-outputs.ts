import type { RunDetails } from '../../contract/server/run.ts';

/** The outputs that a run was asked for, as they were given; of some workflows there are none. */
export function wantedOutputs({ input }: Pick<RunDetails, 'input'>): readonly Record<string, unknown>[] {
  return Array.isArray(input['outputs']) ? (input['outputs'] as Record<string, unknown>[]) : [];
}

/** Seconds of the source at which an output begins. */
export function beginningOf(run: Pick<RunDetails, 'input'>, index = 0): number {
  const trim = wantedOutputs(run)[index]?.['trim'] as { start?: unknown } | null | undefined;
  return typeof trim?.start === 'number' ? trim.start : 0;
}
