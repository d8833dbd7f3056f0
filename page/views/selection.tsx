import { laterTexts } from '../later-texts.ts';
import { actOnSelected, selectAll } from '../state/act-on-selected.ts';
import { selected } from '../state/runs.ts';
import { can } from '../state/session.ts';
import { CancelButton } from './cancel-button.tsx';

export function Selection() {
  return (
    <div class="selection" role="group" aria-label={laterTexts.selection.selected(selected.value.size)}>
      <strong role="status">{laterTexts.selection.selected(selected.value.size)}</strong>
      {can('run') && (
        <>
          <CancelButton count={selected.value.size} onCancel={() => void actOnSelected('cancel')} />
          <button type="button" onClick={() => void actOnSelected('rerun')}>
            {laterTexts.selection.rerun}
          </button>
        </>
      )}
      <button type="button" class="plain" onClick={() => void selectAll()}>
        {laterTexts.selection.all}
      </button>
      <button type="button" class="plain" onClick={() => (selected.value = new Set())}>
        {laterTexts.selection.clear}
      </button>
    </div>
  );
}
