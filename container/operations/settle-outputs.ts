import type { EncodeRequest } from '../../contract/http/encode.ts';
import type { OutputSettings } from '../../contract/output-settings.ts';
import type { Presets } from '../../contract/presets.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';
import { orUnsupported } from '../../engine/unsupported.ts';
import type { PictureLimits } from '../../engine/ffmpeg/limits.ts';
import { checkMeasurable } from '../../engine/pictures/quality/measurable.ts';
import { MediaError } from '../../engine/media-error.ts';

/** Applies presets and defaults to all outputs. Throws if an output cannot be made here from any source. */
export function settleOutputs(
  { outputs }: Pick<EncodeRequest, 'outputs'>,
  presets: Presets,
  limits: Pick<PictureLimits, 'hasVmaf'>,
): OutputSettings[] {
  return outputs.map((output) => {
    const settings = orUnsupported(() => resolveOutput(output, presets));
    checkMeasurable(settings, limits);
    checkPlace(settings, output);
    return settings;
  });
}

/** The schema knows the built-in presets, but not those of PRESETS_FILE. */
function checkPlace({ kind, label }: OutputSettings, { uploadUrl }: { uploadUrl?: string | undefined }): void {
  if (kind !== 'package' || uploadUrl === undefined) return;
  throw new MediaError(
    'invalid_request',
    `The output ${label} has several files, but uploadUrl names one: use "deliver": "on_demand".`,
  );
}
