import { useRef } from 'preact/hooks';
import { laterTexts } from '../later-texts.ts';
import { Question } from './question.tsx';

/** A button that asks before it cancels runs. */
export function CancelButton({ count, onCancel }: { count: number; onCancel: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const texts = laterTexts.cancel;
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => dialog.current?.showModal()}>
        {texts.button}
      </button>
      <Question
        dialog={dialog}
        title={texts.question(count)}
        text={texts.consequence(count)}
        keep={texts.keep}
        confirm={texts.confirm(count)}
        onConfirm={onCancel}
      />
    </>
  );
}
