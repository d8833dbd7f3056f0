import { hasFiles } from '../state/take-files.ts';
import { can } from '../state/session.ts';
import { RunList } from './run-list.tsx';
import { StartPanel } from './start-panel.tsx';
import { later } from './later.tsx';

const UploadList = later(async () => (await import('./upload-list.tsx')).UploadList);

export function RunsView() {
  return (
    <div class={can('run') ? 'columns' : undefined}>
      {can('run') && <StartPanel />}
      <div class="stack">
        {hasFiles.value && <UploadList />}
        <RunList />
      </div>
    </div>
  );
}
