import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { BatchProgress } from '../../../cli/progress/batch-progress.ts';

const encoding: WorkflowStatus = {
  phase: 'encode',
  state: 'running',
  percent: 40,
  attempt: 1,
  elapsedSeconds: 0,
  budgetLeftSeconds: 3600,
};
const pace = { speed: 1.93, video: { frames: 1234, fps: 48.2, size: 3_355_443 } };

test('the bar of several runs shows frames and speed of each film', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 300 });
  let drawn = '';
  terminal.on('data', (bytes: Buffer) => (drawn += bytes.toString()));
  const progress = new BatchProgress(3, { stream: terminal as unknown as NodeJS.WriteStream });
  progress.runOf('a.mov → proxy-360').show({ ...encoding, ...pace });
  progress.runOf('b.mov → proxy-360').show({ ...encoding, state: 'queued' });
  progress.end('c.mov → proxy-360', 'succeeded');
  progress.stop();
  expect(drawn).toContain('encoding a.mov → proxy-360 (1,234 frames, 48 fps, 1.9x, 3.2 MiB) · 1 queued · 0:0');
  expect(drawn).toContain('[1/3] c.mov → proxy-360: succeeded');
});
