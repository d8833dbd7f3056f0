import { inspectProcess } from './inspector.ts';
import type { TestProcess } from './process.ts';

const start = `{
  let before = process.threadCpuUsage();
  globalThis.longestTurn = 0;
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    globalThis.longestTurn = Math.max(globalThis.longestTurn, user + system);
  }, 1).unref();
}`;

/**
 * Longest time in milliseconds for which a process's event loop served nothing else while `work` ran. It is CPU time of
 * the loop's thread, which does not grow when other processes load the machine.
 */
export async function longestTurnDuring(process: { process: TestProcess }, work: () => Promise<void>): Promise<number> {
  return await inspectProcess(process, async (inspect) => {
    await inspect('Runtime.evaluate', { expression: start });
    await work();
    const { result } = await inspect('Runtime.evaluate', { expression: 'String(globalThis.longestTurn)' });
    return Number(result.value) / 1000;
  });
}
