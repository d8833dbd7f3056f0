import type { PresetView } from '../state/session.ts';
import { presetFacts, presetMeaning, presetTitle } from '../words/preset-words.ts';

export function PresetWords({ preset, label }: { preset: PresetView; label?: string }) {
  return (
    <span class="words">
      {label !== undefined && <span class="quiet small">{label}</span>}
      <strong>{presetTitle(preset.name)}</strong>
      <span>{presetMeaning(preset)}</span>
      <span class="quiet small">{presetFacts(preset)}</span>
    </span>
  );
}
