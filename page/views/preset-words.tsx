import type { PresetView } from '../state/session.ts';
import { presetFacts, presetMeaning } from '../words/preset-facts.ts';
import { presetTitle } from '../words/preset-words.ts';

export function PresetWords({ preset }: { preset: PresetView }) {
  return (
    <span class="words">
      <strong>{presetTitle(preset.name)}</strong>
      <span class="small">{presetMeaning(preset)}</span>
      <span class="quiet small">{presetFacts(preset)}</span>
    </span>
  );
}
