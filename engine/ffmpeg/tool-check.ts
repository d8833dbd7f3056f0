import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { meterProcess } from './cpu-time.ts';
import { guardArguments, guardPath, type Tool } from './guard.ts';

/** `-version` takes milliseconds. A machine that needs longer cannot work anyway. */
const versionTimeoutSeconds = 5;

async function run(args: readonly string[]): Promise<string> {
  const running = promisify(execFile)(guardPath, args, { timeout: versionTimeoutSeconds * 1000 });
  meterProcess(running.child);
  return (await running).stdout;
}

/** Returns what is wrong with the tool, or undefined. */
async function findToolProblem(tool: Exclude<Tool, 'vmaf'>): Promise<string | undefined> {
  const args = guardArguments(tool, { maxOutputBytes: 0, maxCpuSeconds: versionTimeoutSeconds });
  try {
    await run([...args, '-version']);
    return undefined;
  } catch {
    return `${tool} is missing or does not work`;
  }
}

let isSoxrBuiltIn: Promise<boolean> | undefined;

/** True if ffmpeg was built with libsoxr. A process asks once, and again if ffmpeg did not answer. */
export async function hasSoxr(): Promise<boolean> {
  const args = guardArguments('ffmpeg', { maxOutputBytes: 0, maxCpuSeconds: versionTimeoutSeconds });
  isSoxrBuiltIn ??= run([...args, '-version']).then((stdout) => stdout.includes('--enable-libsoxr'));
  try {
    return await isSoxrBuiltIn;
  } catch {
    isSoxrBuiltIn = undefined;
    return false;
  }
}

/** `-h` takes about as long. */
async function findVmafProblem(): Promise<string | undefined> {
  const args = guardArguments('vmaf', { maxOutputBytes: 0, maxCpuSeconds: versionTimeoutSeconds });
  try {
    const stdout = await run([...args, '-v', 'quiet', '-h', 'filter=libvmaf']);
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
