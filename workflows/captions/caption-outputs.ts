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
    const others: Subtitles = subtitleFields(output.subtitles);
    const joined = {
      ...output,
      ...(hasSubtitlesOfPreset(output) && joinsPreset() && { presetSubtitles: true as const }),
    };
    if (captions === 'burn') return { ...joined, subtitles: { ...others, burn: { url } } };
    const track = { url, ...(captions !== true && captions) };
    return { ...joined, subtitles: { ...others, add: [...(others.add ?? []), track] } };
  });
}

/** Only containers know the subtitles of a preset of PRESETS_FILE. Built-in presets have none. */
function hasSubtitlesOfPreset({ preset, subtitles }: Output): boolean {
  return subtitles === undefined && preset !== undefined && !Object.hasOwn(builtInPresets, preset);
}
