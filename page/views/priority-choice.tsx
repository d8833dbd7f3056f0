import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { RunDetails } from '../../contract/server/run.ts';
import { holdfast, messageOf } from '../api/holdfast.ts';
import { laterTexts } from '../later-texts.ts';
import { tell } from '../state/notices.ts';

/** Temporal's default. */
const usual = 3;

/** Lets operators move a run forward or back in the queue. */
export function PriorityChoice({ run: { id, priority = usual } }: { run: RunDetails }) {
  const chosen = useSignal<number | undefined>(undefined);
  const confirmed = useRef<number | undefined>(undefined);
  const isSending = useRef(false);
  // Arrow keys choose several priorities in a row; the last one must win.
  const choose = async (wanted: number): Promise<void> => {
    chosen.value = wanted;
    if (isSending.current) return;
    isSending.current = true;
    try {
      while (chosen.value !== undefined && chosen.value !== confirmed.current) {
        const sent = chosen.value;
        await holdfast.changePriority(id, sent);
        confirmed.current = sent;
      }
      tell('done', laterTexts.run.prioritized(confirmed.current ?? priority));
    } catch (error) {
      chosen.value = confirmed.current;
      tell('problem', messageOf(error));
    } finally {
      isSending.current = false;
    }
  };
  return (
    <label class="priority">
      {laterTexts.run.priority}
      <select value={chosen.value ?? priority} onChange={(event) => void choose(Number(event.currentTarget.value))}>
        {laterTexts.run.priorities.map((words, index) => (
          <option key={words} value={index + 1}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
