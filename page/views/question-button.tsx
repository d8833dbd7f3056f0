import { useId, useRef } from 'preact/hooks';

interface Props {
  button: string;
  title: string;
  text: string;
  /** Words of the button that changes nothing. */
  keep: string;
  confirm: string;
  /** Runs before the question; the question is asked only if it returns true. */
  onAsk?: () => Promise<boolean>;
  onConfirm: () => void;
  /** Called if the dialog is closed without the confirmation. */
  onKeep?: () => void;
}

/** A button that asks before it does what cannot be undone. The dialog returns the focus to the button. */
export function QuestionButton({ button, title, text, keep, confirm, onAsk, onConfirm, onKeep }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const ask = async (): Promise<void> => {
    if (onAsk === undefined || (await onAsk())) dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => void ask()}>
        {button}
      </button>
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
          <button type="button" onClick={() => dialog.current?.close()}>
            {keep}
          </button>
          <button type="button" class="main" onClick={() => dialog.current?.close('confirm')}>
            {confirm}
          </button>
        </div>
      </dialog>
    </>
  );
}
