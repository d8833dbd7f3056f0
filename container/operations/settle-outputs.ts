import type { EncodeRequest } from '../../contract/http/encode.ts';
import type { OutputSettings } from '../../contract/output-settings.ts';
import type { Presets } from '../../contract/presets.ts';
import type { PictureLimits } from '../../engine/ffmpeg/limits.ts';
import { settleOutput } from '../../engine/products/file/plan-output.ts';
import { checkMeasurable } from '../../engine/pictures/quality/measurable.ts';
import { MediaError } from '../../engine/media-error.ts';

/** What the outputs of a request come to. Throws where one cannot be made here, whatever the source is. */
export function settleOutputs(
  { outputs }: Pick<EncodeRequest, 'outputs'>,
  presets: Presets,
  limits: Pick<PictureLimits, 'hasVmaf'>,
): OutputSettings[] {
  return outputs.map((output) => {
    const settings = settleOutput(output, presets);
    checkMeasurable(settings, limits);
    checkPlace(settings, output);
    return settings;
  });
}

/** The schema knows Holdfast's own presets, and not those of a file. */
function checkPlace({ label, ...settings }: OutputSettings, { uploadUrl }: { uploadUrl?: string | undefined }): void {
  if (settings.package === undefined || uploadUrl === undefined) return;
  throw new MediaError(
    'invalid_request',
    `The output ${label} has several files, and uploadUrl is the place of one: give "deliver": "on_demand".`,
  );
}
