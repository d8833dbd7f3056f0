import { fileURLToPath } from 'node:url';
import type { ProcessLimits } from './process-limits.ts';

/** Script that starts ffmpeg, ffprobe and the packager. It documents its protections. */
export const guardPath = fileURLToPath(new URL('guarded', import.meta.url));

/** `vmaf` is an ffmpeg with libvmaf. */
export type Tool = 'ffmpeg' | 'ffprobe' | 'vmaf';

/** `ulimit -f` of a POSIX shell counts blocks of 512 bytes. */
const blockBytes = 512;

/** Arguments of the guard script, which precede those of the tool. */
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
