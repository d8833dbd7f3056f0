import type { FileSettings } from '../../contract/file-settings.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import type { PackageSettings } from '../../contract/package-settings.ts';
import { builtInPresets, type Presets } from '../../contract/presets.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';

export function settleFile(request: DescribedOutput, presets: Presets = builtInPresets): FileSettings {
  const output = resolveOutput(request, presets);
  if (output.kind !== 'file') throw new Error(`The output ${output.label} is no file`);
  return output;
}

export function settlePackage(request: DescribedOutput): PackageSettings {
  const output = resolveOutput(request, builtInPresets);
  if (output.kind !== 'package') throw new Error(`The output ${output.label} is no package`);
  return output;
}
