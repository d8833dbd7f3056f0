import { isChoosing } from '../state/chooser-state.ts';
import { hasFiles } from '../state/take-files.ts';
import { can } from '../state/session.ts';
import { RunList } from './run-list.tsx';
import { StartPanel } from './start-panel.tsx';
import { later } from './later.tsx';

const Chooser = later(async () => (await import('./chooser.tsx')).Chooser);
const UploadList = later(async () => (await import('./upload-list.tsx')).UploadList);

export function RunsView() {
  return (
    <div class={can('run') ? 'columns' : undefined}>
      {can('run') && <StartPanel />}
      <div class="stack">
        {hasFiles.value && <UploadList />}
        <RunList />
      </div>
      {isChoosing.value && <Chooser />}
    </div>
  );
}
