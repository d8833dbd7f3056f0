import { useSignal } from '@preact/signals';
import type { RunDetails } from '../../contract/server/run.ts';
import { holdfast, messageOf } from '../api/holdfast.ts';
import { laterTexts } from '../later-texts.ts';
import { tell } from '../state/notices.ts';

/** That of a run that was given none. */
const usual = 3;

/** For operators, who let a run pass others or wait behind them. */
export function PriorityChoice({ run: { id, priority = usual } }: { run: RunDetails }) {
  const chosen = useSignal<number | undefined>(undefined);
  const choose = async (wanted: number): Promise<void> => {
    const before = chosen.value;
    chosen.value = wanted;
    try {
      await holdfast.changePriority(id, wanted);
      tell('done', laterTexts.run.prioritized(wanted));
    } catch (error) {
      chosen.value = before;
      tell('problem', messageOf(error));
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
