import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Starts a tool with fewer system calls; it says which. */
export const sandboxPath = fileURLToPath(new URL('sandboxed', import.meta.url));

/** It answers in milliseconds. */
const checkTimeoutMs = 5000;

/** Answers why ffmpeg would start without its sandbox, or undefined. */
export async function findSandboxProblem(): Promise<string | undefined> {
  const args = [sandboxPath, 'check', process.env['FFMPEG_PATH'] ?? 'ffmpeg'];
  try {
    const { stdout } = await promisify(execFile)('perl', args, { timeout: checkTimeoutMs });
    return stdout === '' ? undefined : stdout;
  } catch {
    return 'there is no Perl that works';
  }
}
