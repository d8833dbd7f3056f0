import { expect, test } from 'vitest';
import { BatchProgress } from '../../../cli/progress/batch-progress.ts';
import { encoding, terminalOf } from '../../support/progress.ts';

const pace = { speed: 1.93, video: { frames: 1234, fps: 48.2, size: 3_355_443 } };

test('the bar of several runs shows frames and speed of each film', () => {
  const terminal = terminalOf(300);
  const progress = new BatchProgress(3, { stream: terminal.stream });
  progress.runOf('a.mov → proxy-360').show({ ...encoding, ...pace });
  progress.runOf('b.mov → proxy-360').show({ ...encoding, state: 'queued' });
  progress.end('c.mov → proxy-360', 'succeeded');
  progress.stop();
  expect(terminal.drawn).toContain('encoding a.mov → proxy-360 (1,234 frames, 48 fps, 1.9x, 3.2 MiB) · 1 queued · 0:0');
  expect(terminal.drawn).toContain('[1/3] c.mov → proxy-360: succeeded');
});
