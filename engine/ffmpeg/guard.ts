import { fileURLToPath } from 'node:url';
import type { ProcessLimits } from './process-limits.ts';

/** The script that starts ffmpeg, ffprobe and the packager; it says what it guards against. */
export const guardPath = fileURLToPath(new URL('guarded', import.meta.url));

/** `vmaf`: an ffmpeg that has libvmaf, and measures with it. */
export type Tool = 'ffmpeg' | 'ffprobe' | 'vmaf';

/** `ulimit -f` of a POSIX shell counts blocks of 512 bytes. */
const blockBytes = 512;

/** What the guard script is told before the arguments of the tool itself. */
export function guardArguments(
  tool: Tool | 'packager',
  {
    maxOutputBytes,
    maxCpuSeconds,
    writableFolder = '-',
  }: Pick<ProcessLimits, 'maxOutputBytes' | 'maxCpuSeconds' | 'writableFolder'>,
): [string, string, string, string] {
  return [tool, String(Math.ceil(maxOutputBytes / blockBytes)), String(maxCpuSeconds), writableFolder];
}
