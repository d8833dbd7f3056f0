import { builtInPresets } from '../../contract/presets.ts';
import { subtitleFields } from '../../contract/subtitle-settings.ts';
import type { EncodeInput } from '../../contract/workflow/encode.ts';

type Output = EncodeInput['outputs'][number];
type Subtitles = Exclude<Output['subtitles'], string | undefined>;

/**
 * Turns the captions of outputs into subtitles from the file at `url`. Undefined: there are no captions. `joinsPreset` is
 * asked only for a preset of PRESETS_FILE: runs that older versions began replace its subtitles, because a retried job
 * must be requested as before.
 */
export function withCaptions(
  outputs: EncodeInput['outputs'],
  url: string | undefined,
  joinsPreset: () => boolean,
): Output[] {
  return outputs.map(({ captions, ...output }) => {
    if (captions === undefined || url === undefined) return output;
    const others = fieldsOf(output, joinsPreset);
    if (captions === 'burn') return { ...output, subtitles: { ...others, burn: { url } } };
    const track = { url, ...(captions !== true && captions) };
    return { ...output, subtitles: { ...others, add: [...(others.add ?? []), track] } };
  });
}

function fieldsOf({ preset, subtitles }: Output, joinsPreset: () => boolean): Subtitles {
  // Only containers know the subtitles of a preset of PRESETS_FILE. Those of older versions refuse this field.
  const isOfOwnPreset = preset !== undefined && !Object.hasOwn(builtInPresets, preset);
  if (subtitles === undefined && isOfOwnPreset && joinsPreset()) return { preset: true };
  return subtitleFields(subtitles);
}
