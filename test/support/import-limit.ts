import { endLeftProcesses } from './process.ts';

/** The longest import starts a Temporal cluster, or encodes with every preset in three ways. */
const limitMs = 20 * 60_000;

let overdue: NodeJS.Timeout | undefined;

/**
 * Ends this process if a test file is not imported in time. Shared parts start during the import, for which Vitest has
 * no time limit: a job that hangs would hang the whole run. Vitest then names the file whose worker ended.
 */
export function beginImport(): void {
  endImport();
  overdue = setTimeout(() => {
    console.error(`A test file was not imported within ${limitMs / 60_000} minutes. One of its shared parts hangs.`);
    endLeftProcesses();
    process.kill(process.pid, 'SIGKILL');
  }, limitMs);
}

export function endImport(): void {
  clearTimeout(overdue);
}
