import { laterTexts } from '../later-texts.ts';
import { canNotify, isNotifying, toggleNotifying } from '../state/notifications.ts';

export function NotifyChoice() {
  if (!canNotify) return null;
  return (
    <button type="button" aria-pressed={isNotifying.value} onClick={() => void toggleNotifying()}>
      {laterTexts.notify.button}
    </button>
  );
}
