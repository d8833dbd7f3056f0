import { builtInPresets } from '../../contract/presets.ts';
import { subtitleFields } from '../../contract/subtitle-settings.ts';
import type { EncodeInput } from '../../contract/workflow/encode.ts';
import type { MadeCaptions } from './make-captions.ts';

type Output = EncodeInput['outputs'][number];
type Subtitles = Exclude<Output['subtitles'], string | undefined>;

/**
 * Turns the captions of outputs into subtitles from the file at `url` (pure). Undefined: there are no captions.
 * `joinsPresets`: they keep the subtitles of a preset of PRESETS_FILE. A retried job must be requested as before, so all
 * requests of a run agree.
 */
export function withCaptions(
  outputs: EncodeInput['outputs'],
  { url, joinsPresets, onSoundClock }: MadeCaptions,
): Output[] {
  return outputs.map(({ captions, ...output }) => {
    if (captions === undefined || url === undefined) return output;
    const others: Subtitles = subtitleFields(output.subtitles);
    const joined = {
      ...output,
      ...(joinsPresets === true && hasSubtitlesOfPreset(output) && { presetSubtitles: true as const }),
    };
    const file = { url, ...(onSoundClock === true && { clock: 'sound' as const }) };
    if (captions === 'burn') return { ...joined, subtitles: { ...others, burn: file } };
    const track = { ...file, ...(captions !== true && captions) };
    return { ...joined, subtitles: { ...others, add: [...(others.add ?? []), track] } };
  });
}

/** Only containers know the subtitles of a preset of PRESETS_FILE. Built-in presets have none. */
function hasSubtitlesOfPreset({ preset, subtitles }: Output): boolean {
  return subtitles === undefined && preset !== undefined && !Object.hasOwn(builtInPresets, preset);
}
