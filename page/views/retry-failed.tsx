import { laterTexts } from '../later-texts.ts';
import { actOnSelected, selectAll } from '../state/act-on-selected.ts';
import { selected } from '../state/runs.ts';
import { QuestionButton } from './question-button.tsx';

/** Selects all failed runs that match the filters, and asks before it runs them again. */
export function RetryFailed() {
  const { question, consequence, confirm, ...texts } = laterTexts.retry;
  const count = selected.value.size;
  return (
    <QuestionButton
      {...texts}
      title={question(count)}
      text={consequence}
      confirm={confirm(count)}
      onAsk={selectAll}
      onConfirm={() => void actOnSelected('rerun')}
      onKeep={() => (selected.value = new Set())}
    />
  );
}
