import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { guardArguments, guardPath, type Tool } from './guard.ts';

const run = promisify(execFile);

/** An answer of `-version` takes milliseconds; on a machine that needs longer nothing works anyway. */
const versionTimeoutSeconds = 5;

/** Answers what is wrong with the tool, or undefined. */
async function findToolProblem(tool: Tool): Promise<string | undefined> {
  const args = guardArguments(tool, { maxOutputBytes: 0, maxCpuSeconds: versionTimeoutSeconds });
  try {
    await run(guardPath, [...args, '-version'], { timeout: versionTimeoutSeconds * 1000 });
    return undefined;
  } catch {
    return `${tool} is missing or does not work`;
  }
}

/** Answers which of the tools cannot be used, or undefined. */
export async function findToolsProblem(): Promise<string | undefined> {
  const problems = await Promise.all([findToolProblem('ffmpeg'), findToolProblem('ffprobe')]);
  return problems.find((problem) => problem !== undefined);
}
