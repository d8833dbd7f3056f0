import { run } from '../test/support/process.ts';
import { type Cost, cost } from './cost.ts';

/** Runs an ffmpeg at the low priority of the container's ffmpeg: at a higher one it would win beside other work. */
export async function ffmpegAlike(args: readonly string[]): Promise<void> {
  const { code, output } = await run('nice', ['-n', '5', 'ffmpeg', '-nostdin', '-v', 'error', '-y', ...args], {
    timeoutMs: 24 * 3_600_000,
  });
  if (code !== 0) throw new Error(output);
}

/** Measures ffmpeg commands one after the other. */
export async function runPlainFfmpeg(commands: readonly (readonly string[])[]): Promise<Cost> {
  return await cost(async () => {
    for (const args of commands) await ffmpegAlike(args);
  });
}
