import { expect, test } from 'vitest';
import { run } from '../support/process.ts';
import { projectRoot } from '../support/project-files.ts';
import { clockSignal, steppingClock } from './stepping-clock.ts';

const script = `
  const { Runtime } = require('@temporalio/worker');
  const before = Date.now();
  const { shutdownSignals } = Runtime.instance().options;
  process.on('${clockSignal}', () => {
    console.log(JSON.stringify({ shutdownSignals, hours: Math.floor((Date.now() - before) / 3_600_000) }));
    process.exit();
  });
  setInterval(() => undefined, 1_000);
  process.kill(process.pid, '${clockSignal}');
`;

test('the signal that steps the clock of a worker does not stop the worker', async () => {
  const { output } = await run(process.execPath, [steppingClock, '-e', script], { cwd: projectRoot });
  const { shutdownSignals, hours } = JSON.parse(output) as { shutdownSignals: string[]; hours: number };
  expect(hours).toBe(1);
  expect(shutdownSignals).toContain('SIGTERM');
  expect(shutdownSignals).not.toContain(clockSignal);
});
