import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Starts a tool with fewer system calls; it says which. */
export const sandboxPath = fileURLToPath(new URL('sandboxed', import.meta.url));

/** It answers in milliseconds. */
const checkTimeoutMs = 5000;

export interface SandboxProblem {
  /** `none`: ffmpeg would start without it. */
  protection: 'none' | 'partial';
  reason: string;
}

/** Answers what the sandbox of ffmpeg lacks here, or undefined. */
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
