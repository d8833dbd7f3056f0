import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { askedNow, stopAsking } from '../state/asked-sources.ts';
import { ownSettings } from '../state/own-settings.ts';
import { remember } from '../state/remembered.ts';
import type { PresetView } from '../state/session.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { texts } from '../texts.ts';
import { draftOf } from '../words/earlier-draft.ts';
import type { ExtrasDraft } from '../words/extras-draft.ts';
import type { SourceKind } from '../words/source-kind.ts';
import { wantedOutputs } from '../words/wanted-outputs.ts';
import { chosenFirst, ChoiceForm } from './choice-form.tsx';
import { Notices } from './notices.tsx';
import { OwnSettings } from './own-settings.tsx';
import { type Inspection, SourceHead, useInspection } from './source-head.tsx';
import '../style/chooser.css';

/** The dialog for choosing what to make of the asked sources, or of new runs if there are none. */
export function Chooser() {
  const dialog = useRef<HTMLDialogElement>(null);
  const kind = useSignal<SourceKind>('sound');
  // The dialog returns the focus when it closes. It must be open before the form inside sets the focus.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const sources = askedNow.value;
  const inspection = useInspection(sources);
  const shownKind = sources[0]?.kind ?? kind.value;
  const close = (): void => dialog.current?.close();
  return (
    <dialog ref={dialog} class="chooser" aria-labelledby="chooser" onClose={stopAsking}>
      <header>
        <h2 id="chooser">{chooserTexts.title(sources.length)}</h2>
        <button type="button" class="plain" aria-label={texts.close} onClick={close}>
          ×
        </button>
      </header>
      <Notices />
      {sources.length === 0 && (
        <fieldset class="filters">
          <legend class="hidden">{chooserTexts.kind}</legend>
          {(['sound', 'film'] as const).map((one) => (
            <label key={one}>
              <input type="radio" name="kind" checked={kind.value === one} onChange={() => (kind.value = one)} />
              <span>{texts.start.kinds[one]}</span>
            </label>
          ))}
        </fieldset>
      )}
      <Choosing key={`${shownKind} ${sources[0]?.name}`} kind={shownKind} inspection={inspection} onDone={close} />
    </dialog>
  );
}

/** The choice for sources of one kind. */
function Choosing({ kind, inspection, onDone }: { kind: SourceKind; inspection: Inspection; onDone: () => void }) {
  const sources = askedNow.value;
  const repeated = wantedOutputs(sources[0]?.earlier ?? { input: {} }).filter(
    ({ analysis, image }) => analysis === undefined && image === undefined,
  );
  const chosen = useSignal(
    chosenFirst(
      kind,
      repeated.flatMap(({ preset }) => (typeof preset === 'string' ? [preset] : [])),
    ),
  );
  const draft = useSignal<ExtrasDraft>(draftOf(repeated[0] ?? {}));
  const edited = useSignal<PresetView | undefined>(undefined);
  const stopEditing = (saved?: string): void => {
    const before = edited.value?.name;
    edited.value = undefined;
    const known = new Set(ownSettings.value.map(({ name }) => name));
    const others = chosen.value.filter((name) => name !== before || known.has(name));
    chosen.value = saved === undefined ? others : [...new Set([...others.filter((name) => name !== before), saved])];
    if (saved !== undefined) remember(kind, chosen.value);
  };
  if (edited.value !== undefined) return <OwnSettings from={edited.value} onClose={stopEditing} />;
  return (
    <ChoiceForm
      kind={kind}
      sources={sources}
      chosen={chosen}
      draft={draft}
      head={<SourceHead sources={sources} inspection={inspection} />}
      facts={inspection.facts}
      onEdit={(preset) => (edited.value = preset)}
      onDone={onDone}
    />
  );
}
