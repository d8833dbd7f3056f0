import { run } from '../test/support/process.ts';
import { type Cost, cpuSeconds } from './cost.ts';

/** What commands of ffmpeg cost, one after the other, at the low priority at which the container starts its own: beside other work they would win. */
export async function runPlainFfmpeg(commands: readonly (readonly string[])[]): Promise<Cost> {
  const [startMs, startCpu] = [performance.now(), cpuSeconds()];
  for (const args of commands) {
    const { code, output } = await run('nice', ['-n', '5', 'ffmpeg', '-nostdin', '-v', 'error', '-y', ...args], {
      timeoutMs: 24 * 3_600_000,
    });
    if (code !== 0) throw new Error(output);
  }
  return { wallSeconds: (performance.now() - startMs) / 1000, cpuSeconds: cpuSeconds() - startCpu };
}
