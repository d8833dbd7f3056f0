import type { Ref } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  dialog: Ref<HTMLDialogElement>;
  title: string;
  text: string;
  /** Words of the button that changes nothing. */
  keep: string;
  confirm: string;
  onConfirm: () => void;
  /** Called if the dialog is closed without the confirmation. */
  onKeep?: () => void;
}

/** A question before something that cannot be undone. The dialog returns the focus to the button that opened it. */
export function Question({ dialog, title, text, keep, confirm, onConfirm, onKeep }: Props) {
  const id = useId();
  return (
    <dialog
      ref={dialog}
      class="question"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={({ currentTarget }) => {
        const isConfirmed = currentTarget.returnValue === 'confirm';
        // Escape would otherwise repeat the last answer.
        currentTarget.returnValue = '';
        if (isConfirmed) onConfirm();
        else onKeep?.();
      }}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      <p id={`${id}-text`}>{text}</p>
      <div class="actions">
        {/* The first button gets the focus; it changes nothing. */}
        <button type="button" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
          {keep}
        </button>
        <button
          type="button"
          class="main"
          onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close('confirm')}
        >
          {confirm}
        </button>
      </div>
    </dialog>
  );
}
