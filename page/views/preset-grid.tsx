import type { PresetView } from '../state/session.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { isOwn, presetTitle } from '../words/preset-words.ts';
import { presetBadge } from '../words/preset-facts.ts';
import { hasPictures } from '../words/preset-groups.ts';
import { PresetPicture } from './preset-picture.tsx';
import { PresetStill } from './preset-still.tsx';
import { PresetWords } from './preset-words.tsx';

interface Props {
  title: string;
  presets: readonly PresetView[];
  chosen: ReadonlySet<string>;
  isOpen: boolean;
  /** A picture of the film. */
  frame: ImageBitmap | undefined;
  onToggle: (name: string) => void;
  onEdit: (preset: PresetView) => void;
}

/** A group of presets, several of which can be chosen. */
export function PresetGrid({ title, presets, chosen, isOpen, frame, onToggle, onEdit }: Props) {
  const count = presets.filter(({ name }) => chosen.has(name)).length;
  return (
    <details class="preset-group" open={isOpen}>
      <summary>
        <h3>{title}</h3>
        <span class="quiet small">{count > 0 ? `${count} / ${presets.length}` : presets.length}</span>
      </summary>
      <ul>
        {presets.map((preset) => (
          <li key={preset.name}>
            <label class="result">
              <input
                type="checkbox"
                name="result"
                value={preset.name}
                checked={chosen.has(preset.name)}
                onChange={() => onToggle(preset.name)}
              />
              <span class="drawing" aria-hidden="true">
                {frame !== undefined && hasPictures(preset) ? (
                  <PresetStill preset={preset} frame={frame} />
                ) : (
                  <PresetPicture preset={preset} />
                )}
                <span class="badge">{presetBadge(preset)}</span>
              </span>
              <PresetWords preset={preset} />
            </label>
            {isOwn(preset.name) && (
              <button type="button" class="small" onClick={() => onEdit(preset)}>
                {chooserTexts.edit(presetTitle(preset.name))}
              </button>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
