import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';

/** What Temporal's runtime has logged since the present test file asked for it. */
export const logEntries: LogEntry[] = [];

let isInstalled = false;

/** Installs Temporal's runtime with a log for tests. A process has one runtime, and several test files share a process. */
export async function useRuntime(): Promise<void> {
  logEntries.length = 0;
  if (isInstalled) return;
  isInstalled = true;
  // An earlier test file may have started a runtime by connecting a worker.
  await Runtime.instance().shutdown();
  Runtime.install({
    logger: new DefaultLogger('INFO', (entry) => logEntries.push(entry)),
    telemetryOptions: { logging: { forward: { level: 'ERROR' } } },
  });
}
