import { useRef } from 'preact/hooks';
import { laterTexts } from '../later-texts.ts';
import { actOnSelected, selectAll } from '../state/act-on-selected.ts';
import { selected } from '../state/runs.ts';
import { Question } from './question.tsx';

/** Selects all failed runs that match the filters, and asks before it runs them again. */
export function RetryFailed() {
  const dialog = useRef<HTMLDialogElement>(null);
  const texts = laterTexts.retry;
  const ask = async (): Promise<void> => {
    if (await selectAll()) dialog.current?.showModal();
  };
  const count = selected.value.size;
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => void ask()}>
        {texts.button}
      </button>
      <Question
        dialog={dialog}
        title={texts.question(count)}
        text={texts.consequence}
        keep={texts.keep}
        confirm={texts.confirm(count)}
        onConfirm={() => void actOnSelected('rerun')}
        onKeep={() => (selected.value = new Set())}
      />
    </>
  );
}
