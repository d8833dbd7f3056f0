import { useEffect, useRef } from 'preact/hooks';
import { type PresetView, session } from '../state/session.ts';
import { choosePreset } from '../state/chosen-preset.ts';
import { texts } from '../texts.ts';
import { PresetWords } from './preset-words.tsx';

interface Props {
  chosen: PresetView;
  onClose: () => void;
  onOwn: () => void;
}

export function PresetList({ chosen, onClose, onOwn }: Props) {
  const list = useRef<HTMLFieldSetElement>(null);
  useEffect(() => list.current?.querySelector<HTMLElement>(':checked')?.focus(), []);
  if (session.value.state !== 'ready') return null;
  return (
    <fieldset ref={list} class="presets">
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
              // Arrow keys fire clicks with detail 0 and must not close the list. A mouse click also chooses, because onChange no longer fires.
              if (event.detail === 0) return;
              choosePreset(preset.name);
              onClose();
            }}
          />
          <PresetWords preset={preset} />
        </label>
      ))}
      <button type="button" onClick={onOwn}>
        {texts.start.own}…
      </button>
      <button type="button" onClick={onClose}>
        {texts.close}
      </button>
    </fieldset>
  );
}
