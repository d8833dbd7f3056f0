import { useSignal } from '@preact/signals';
import { session } from '../state/session.ts';
import { chosenPreset } from '../state/chosen-preset.ts';
import { texts } from '../texts.ts';
import { later } from './later.tsx';
import { PresetWords } from './preset-words.tsx';

const OwnSettings = later(async () => (await import('./own-settings.tsx')).OwnSettings);
const PresetList = later(async () => (await import('./preset-list.tsx')).PresetList);

/** Shows the chosen preset; the list opens on request. */
export function PresetChoice() {
  const open = useSignal<'presets' | 'own' | undefined>(undefined);
  if (session.value.state !== 'ready') return null;
  const chosen = chosenPreset();
  if (chosen === undefined) return null;
  const close = (): void => void (open.value = undefined);
  if (open.value === 'presets') {
    return <PresetList chosen={chosen} onClose={close} onOwn={() => (open.value = 'own')} />;
  }
  if (open.value === 'own') return <OwnSettings chosen={chosen} onClose={close} />;
  return (
    <div class="preset chosen">
      <PresetWords preset={chosen} label={texts.start.preset} />
      <button type="button" aria-expanded="false" onClick={() => (open.value = 'presets')}>
        {texts.start.change}
      </button>
    </div>
  );
}
