import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ShareView } from '../../contract/server/share.ts';
import { holdfast, messageOf } from '../api/holdfast.ts';
import { shareTexts } from '../share-texts.ts';
import { formatMoment } from '../words/format.ts';
import { CopyField } from './copy-field.tsx';
import { Choice } from './extra-fields.tsx';

/** Makes a link to the results for people who cannot sign in. */
export function ShareButton({ id }: { id: string }) {
  const texts = shareTexts.link;
  const dialog = useRef<HTMLDialogElement>(null);
  const hours = useSignal(168);
  const made = useSignal<ShareView | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const open = (): void => {
    made.value = problem.value = undefined;
    dialog.current?.showModal();
  };
  const make = async (): Promise<void> => {
    made.value = problem.value = undefined;
    try {
      made.value = await holdfast.share(id, { hours: hours.value });
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={open}>
        {texts.button}
      </button>
      <dialog ref={dialog} class="question" aria-labelledby="share-title" aria-describedby="share-text">
        <h2 id="share-title">{texts.title}</h2>
        <p id="share-text">{texts.text}</p>
        <Choice
          label={texts.lifetime}
          choices={texts.lifetimes}
          value={String(hours.value)}
          onChange={(value) => (hours.value = Number(value))}
        />
        <div role="status">
          {made.value !== undefined && (
            <>
              <CopyField label={texts.address} text={new URL(made.value.url, location.href).href} />
              <p class="quiet small">{texts.made(formatMoment(made.value.expiresAt, Date.now()))}</p>
            </>
          )}
          {problem.value !== undefined && <p class="bad">{problem.value}</p>}
        </div>
        <div class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            {texts.close}
          </button>
          <button type="button" class="main" onClick={() => void make()}>
            {texts.make}
          </button>
        </div>
      </dialog>
    </>
  );
}
