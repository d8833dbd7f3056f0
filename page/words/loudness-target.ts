import type { LoudnessName } from '../../contract/loudness.ts';
import type { RunDetails } from '../../contract/server/run.ts';
import type { PresetView } from '../state/session.ts';
import { wantedOutputs } from './wanted-outputs.ts';

/** LUFS. Copied from `contract/`, which the page does not load; a test compares both. */
export const namedTargets: Record<LoudnessName, number> = {
  podcast: -16,
  'podcast-mono': -19,
  'ebu-r128': -23,
  'atsc-a85': -24,
  streaming: -14,
};

/** Requested loudness of an output in LUFS; undefined keeps the source's loudness. */
export function wantedLufs(
  run: Pick<RunDetails, 'input'>,
  index: number | undefined,
  presets: readonly PresetView[],
): number | undefined {
  const output = index === undefined ? undefined : wantedOutputs(run)[index];
  const wanted = output?.['loudness'] ?? presets.find(({ name }) => name === output?.['preset'])?.loudness;
  if (typeof wanted === 'string') return namedTargets[wanted as LoudnessName];
  return isFigured(wanted) ? wanted.integrated : undefined;
}

function isFigured(wanted: unknown): wanted is { integrated: number } {
  return (
    typeof wanted === 'object' && wanted !== null && 'integrated' in wanted && typeof wanted.integrated === 'number'
  );
}
