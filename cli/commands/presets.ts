import { listPresets } from '../../contract/listed-presets.ts';
import { formatPresets, presetColumns, presetRow, readPresets } from '../media/presets.ts';
import type { Settings } from '../settings.ts';
import { fitTable } from '../text/fit-table.ts';

export interface PresetsOptions {
  json: boolean;
}

/** Prints the presets as a table, or as `GET /presets` answers them. */
export function showPresets({ json }: PresetsOptions, { presetsFile }: Settings): number {
  const body = listPresets(readPresets(presetsFile));
  if (json) {
    process.stdout.write(`${JSON.stringify(body, null, 2)}\n`);
    return 0;
  }
  const presets = body.presets.map(({ name, ...preset }) => [name, preset] as const);
  if (process.stdout.isTTY) {
    process.stdout.write(`${formatPresets(presets, process.stdout.columns)}\n`);
    return 0;
  }
  const rows = [[...presetColumns], ...presets.map(([name, preset]) => presetRow(name, preset))];
  process.stdout.write(`${fitTable(rows, { figures: new Set(), width: undefined })}\n`);
  return 0;
}
