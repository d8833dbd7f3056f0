import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { guardArguments, guardPath, type Tool } from './guard.ts';

const run = promisify(execFile);

/** `-version` takes milliseconds. A machine that needs longer cannot work anyway. */
const versionTimeoutSeconds = 5;

/** Returns what is wrong with the tool, or undefined. */
async function findToolProblem(tool: Exclude<Tool, 'vmaf'>): Promise<string | undefined> {
  const args = guardArguments(tool, { maxOutputBytes: 0, maxCpuSeconds: versionTimeoutSeconds });
  try {
    await run(guardPath, [...args, '-version'], { timeout: versionTimeoutSeconds * 1000 });
    return undefined;
  } catch {
    return `${tool} is missing or does not work`;
  }
}

/** `-h` takes about as long. */
async function findVmafProblem(): Promise<string | undefined> {
  const args = guardArguments('vmaf', { maxOutputBytes: 0, maxCpuSeconds: versionTimeoutSeconds });
  try {
    const { stdout } = await run(guardPath, [...args, '-v', 'quiet', '-h', 'filter=libvmaf'], {
      timeout: versionTimeoutSeconds * 1000,
    });
    return stdout.includes('libvmaf AVOptions') ? undefined : 'the ffmpeg of VMAF_FFMPEG_PATH has no libvmaf';
  } catch {
    return 'the ffmpeg of VMAF_FFMPEG_PATH does not work';
  }
}

/** Returns which tool cannot be used and why, or undefined. */
export async function findToolsProblem(hasVmaf: boolean): Promise<string | undefined> {
  const checks = [findToolProblem('ffmpeg'), findToolProblem('ffprobe'), ...(hasVmaf ? [findVmafProblem()] : [])];
  return (await Promise.all(checks)).find((problem) => problem !== undefined);
}
