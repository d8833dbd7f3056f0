import type { EncodeRequest } from '../../contract/http/encode.ts';
import type { OutputSettings } from '../../contract/output-settings.ts';
import type { Presets } from '../../contract/presets.ts';
import type { PictureLimits } from '../encode/limits.ts';
import { settleOutput } from '../encode/output-plan.ts';
import { checkMeasurable } from '../encode/video/quality/measurable.ts';

/** What the outputs of a request come to. Throws where one cannot be made here, whatever the source is. */
export function settleOutputs(
  { outputs }: Pick<EncodeRequest, 'outputs'>,
  presets: Presets,
  limits: Pick<PictureLimits, 'hasVmaf'>,
): OutputSettings[] {
  return outputs.map((output) => {
    const settings = settleOutput(output, presets);
    checkMeasurable(settings, limits);
    return settings;
  });
}
