import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Script that starts a tool with fewer system calls. It documents which. */
export const sandboxPath = fileURLToPath(new URL('sandboxed', import.meta.url));

/** The check answers within milliseconds. */
const checkTimeoutMs = 5000;

export interface SandboxProblem {
  /** `none`: ffmpeg would start without a sandbox. */
  protection: 'none' | 'partial';
  reason: string;
}

/** Returns what ffmpeg's sandbox lacks on this machine, or undefined. */
export async function findSandboxProblem(): Promise<SandboxProblem | undefined> {
  const args = [sandboxPath, 'check', process.env['FFMPEG_PATH'] ?? 'ffmpeg'];
  try {
    const { stdout } = await promisify(execFile)('perl', args, { timeout: checkTimeoutMs });
    if (stdout === '') return undefined;
    const [protection, reason = ''] = stdout.split('\n');
    return { protection: protection === 'partial' ? 'partial' : 'none', reason };
  } catch {
    return { protection: 'none', reason: 'there is no Perl that works' };
  }
}
