import { useRef } from 'preact/hooks';
import { laterTexts } from '../later-texts.ts';

/** A button that asks before it cancels runs. The dialog returns the focus to the button. */
export function CancelButton({ count, onCancel }: { count: number; onCancel: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = (): void => dialog.current?.close();
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => dialog.current?.showModal()}>
        {laterTexts.cancel.button}
      </button>
      <dialog ref={dialog} class="question" aria-labelledby="question" aria-describedby="consequence">
        <h2 id="question">{laterTexts.cancel.question(count)}</h2>
        <p id="consequence">{laterTexts.cancel.consequence(count)}</p>
        <div class="actions">
          {/* The first button gets the focus; it changes nothing. */}
          <button type="button" onClick={close}>
            {laterTexts.cancel.keep}
          </button>
          <button
            type="button"
            class="main"
            onClick={() => {
              close();
              onCancel();
            }}
          >
            {laterTexts.cancel.confirm(count)}
          </button>
        </div>
      </dialog>
    </>
  );
}
