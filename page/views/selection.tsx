import { useRef } from 'preact/hooks';
import { laterTexts } from '../later-texts.ts';
import { actOnSelected, selectAll } from '../state/act-on-selected.ts';
import { focusView } from '../state/focus-view.ts';
import { selected } from '../state/runs.ts';
import { can } from '../state/session.ts';

/** What can be done with all runs that are selected. */
export function Selection() {
  const bar = useRef<HTMLDivElement>(null);
  const act = async (action: 'cancel' | 'rerun'): Promise<void> => {
    await actOnSelected(action);
    const { activeElement, body } = document;
    const isLost = activeElement === body || bar.current?.contains(activeElement) === true;
    if (selected.value.size === 0 && isLost) focusView();
  };
  const clear = (): void => {
    selected.value = new Set();
    focusView();
  };
  return (
    <div ref={bar} class="selection" role="group" aria-label={laterTexts.selection.selected(selected.value.size)}>
      <strong role="status">{laterTexts.selection.selected(selected.value.size)}</strong>
      {can('run') && (
        <>
          <button type="button" onClick={() => void act('cancel')}>
            {laterTexts.selection.cancel}
          </button>
          <button type="button" onClick={() => void act('rerun')}>
            {laterTexts.selection.rerun}
          </button>
        </>
      )}
      <button type="button" class="plain" onClick={() => void selectAll()}>
        {laterTexts.selection.all}
      </button>
      <button type="button" class="plain" onClick={clear}>
        {laterTexts.selection.clear}
      </button>
    </div>
  );
}
