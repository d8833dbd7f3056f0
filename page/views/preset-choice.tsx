import { useSignal } from '@preact/signals';
import { type PresetView, session } from '../state/session.ts';
import { choosePreset, chosenPreset } from '../state/start-runs.ts';
import { texts } from '../texts.ts';
import { presetFacts, presetMeaning, presetTitle } from '../words/preset-words.ts';

/** One of them, with its meaning in words; the others when they are asked for. */
export function PresetChoice() {
  const isOpen = useSignal(false);
  if (session.value.state !== 'ready') return null;
  const chosen = chosenPreset();
  if (chosen === undefined) return null;
  if (!isOpen.value) {
    return (
      <div class="preset chosen">
        <Words preset={chosen} label={texts.start.preset} />
        <button type="button" aria-expanded="false" onClick={() => (isOpen.value = true)}>
          {texts.start.change}
        </button>
      </div>
    );
  }
  return (
    <fieldset class="presets">
      <legend>{texts.start.preset}</legend>
      {session.value.presets.map((preset) => (
        <label key={preset.name} class="preset">
          <input
            type="radio"
            name="preset"
            value={preset.name}
            checked={preset.name === chosen.name}
            onChange={() => choosePreset(preset.name)}
            onClick={(event) => {
              // By the keyboard the choice moves on; a click of the mouse is the choice.
              if (event.detail > 0) isOpen.value = false;
            }}
          />
          <Words preset={preset} />
        </label>
      ))}
      <button type="button" onClick={() => (isOpen.value = false)}>
        {texts.close}
      </button>
    </fieldset>
  );
}

function Words({ preset, label }: { preset: PresetView; label?: string }) {
  return (
    <span class="words">
      {label !== undefined && <span class="quiet small">{label}</span>}
      <strong>{presetTitle(preset.name)}</strong>
      <span>{presetMeaning(preset)}</span>
      <span class="quiet small">{presetFacts(preset)}</span>
    </span>
  );
}
