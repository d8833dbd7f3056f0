import type { PresetsBody } from '../../contract/http/preset.ts';
import { formatPresets, presetColumns, presetRow, readPresets } from '../media/presets.ts';
import type { Settings } from '../settings.ts';

export interface PresetsOptions {
  json: boolean;
}

/** Prints the presets as a table, or as `GET /presets` answers them. */
export function listPresets({ json }: PresetsOptions, { presetsFile }: Settings): number {
  const presets = Object.entries(readPresets(presetsFile));
  if (json) {
    const body: PresetsBody = { presets: presets.map(([name, preset]) => ({ name, ...preset })) };
    process.stdout.write(`${JSON.stringify(body, null, 2)}\n`);
    return 0;
  }
  if (process.stdout.isTTY) {
    process.stdout.write(`${formatPresets(presets, process.stdout.columns)}\n`);
    return 0;
  }
  const rows = [[...presetColumns], ...presets.map(([name, preset]) => presetRow(name, preset))];
  const widths = presetColumns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
