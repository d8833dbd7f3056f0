import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Scratch } from './scratch.ts';

const run = promisify(execFile);

/** An answer of `-version` takes milliseconds; on a machine that needs longer nothing works anyway. */
const versionTimeoutMs = 5000;

/** A found tool stays found for this long, so that probes every second cost nothing. */
const trustMs = 10_000;

const tools = ['ffmpeg', 'ffprobe'] as const;

async function toolProblem(tool: (typeof tools)[number]): Promise<string | undefined> {
  const guarded = fileURLToPath(new URL(`../ffmpeg/guarded-${tool}`, import.meta.url));
  try {
    await run(guarded, ['-version'], { timeout: versionTimeoutMs });
    return undefined;
  } catch {
    return `${tool} is missing or does not work`;
  }
}

/** Answers why no job can work here now, or undefined. */
export type Readiness = () => Promise<string | undefined>;

export function createReadiness(scratch: Scratch, isDraining: () => boolean): Readiness {
  let toolsFineUntilMs = 0;
  return async () => {
    if (isDraining()) return 'draining';
    if (Date.now() > toolsFineUntilMs) {
      const problems = await Promise.all(tools.map(toolProblem));
      const problem = problems.find((text) => text !== undefined);
      if (problem !== undefined) return problem;
      toolsFineUntilMs = Date.now() + trustMs;
    }
    return scratch.problem();
  };
}
