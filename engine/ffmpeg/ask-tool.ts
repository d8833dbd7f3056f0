import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { meterProcess } from './cpu-time.ts';
import { guardArguments, guardPath, type Tool } from './guard.ts';

/** Runs a tool that reads and writes no file, and returns what it writes to standard output. */
export async function askTool(tool: Tool, args: readonly string[], timeoutSeconds: number): Promise<string> {
  const guarded = guardArguments(tool, { maxOutputBytes: 0, maxCpuSeconds: timeoutSeconds });
  const running = promisify(execFile)(guardPath, [...guarded, ...args], { timeout: timeoutSeconds * 1000 });
  meterProcess(running.child);
  return (await running).stdout;
}
