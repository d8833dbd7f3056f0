import { laterTexts } from '../later-texts.ts';
import { QuestionButton } from './question-button.tsx';

/** A button that asks before it cancels runs. */
export function CancelButton({ count, onCancel }: { count: number; onCancel: () => void }) {
  const { consequence, question, confirm, ...texts } = laterTexts.cancel;
  return (
    <QuestionButton
      {...texts}
      title={question(count)}
      text={consequence(count)}
      confirm={confirm(count)}
      onConfirm={onCancel}
    />
  );
}
