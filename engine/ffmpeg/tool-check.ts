import { askTool } from './ask-tool.ts';
import type { Tool } from './guard.ts';

/** `-version` takes milliseconds. A machine that needs longer cannot work anyway. */
const versionTimeoutSeconds = 5;

/** Returns what is wrong with the tool, or undefined. */
async function findToolProblem(tool: Exclude<Tool, 'vmaf'>): Promise<string | undefined> {
  try {
    await askTool(tool, ['-version'], versionTimeoutSeconds);
    return undefined;
  } catch {
    return `${tool} is missing or does not work`;
  }
}

let isSoxrBuiltIn: Promise<boolean> | undefined;

/** True if ffmpeg was built with libsoxr. A process asks once, and again if ffmpeg did not answer. */
export async function hasSoxr(): Promise<boolean> {
  isSoxrBuiltIn ??= askTool('ffmpeg', ['-version'], versionTimeoutSeconds).then((stdout) =>
    stdout.includes('--enable-libsoxr'),
  );
  try {
    return await isSoxrBuiltIn;
  } catch {
    isSoxrBuiltIn = undefined;
    return false;
  }
}

/** `-h` takes about as long. */
async function findVmafProblem(): Promise<string | undefined> {
  try {
    const stdout = await askTool('vmaf', ['-v', 'quiet', '-h', 'filter=libvmaf'], versionTimeoutSeconds);
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
