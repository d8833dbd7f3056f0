import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { diskFull, ServiceError } from '../errors.ts';
import { guardArguments, guardPath } from '../ffmpeg/guard.ts';
import type { ProcessLimits } from '../ffmpeg/process-limits.ts';
import { watchForStall } from '../ffmpeg/stall-watch.ts';
import { terminate } from '../ffmpeg/terminate.ts';
import { packagerArguments } from './packager-arguments.ts';
import type { PackagePlan } from './plan-package.ts';

const systems: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'osx' };

/** The program itself: what the npm package starts it by would not be ended with it. */
function packagerPath(): string {
  const entry = createRequire(import.meta.url).resolve('shaka-packager');
  return join(dirname(entry), 'bin', `packager-${systems[process.platform] ?? process.platform}-${process.arch}`);
}

/** What it says is in `key=value` and paths of ours; a few lines explain a failure in the log. */
const complaintLines = 5;

/** Makes the package of its parts, in `folder`. Throws where it fails, and an abort's reason once the process has ended. */
export async function runPackager(
  plan: PackagePlan,
  folder: string,
  limits: ProcessLimits,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const args = [...guardArguments('packager', limits), ...packagerArguments(plan, basename(folder))];
  const options = { cwd: dirname(folder), env: { ...process.env, PACKAGER: packagerPath() }, maxBuffer: 1024 ** 2 };
  let hasStalled = false;
  const failure = await new Promise<string | undefined>((resolve) => {
    const child = execFile(guardPath, args, options, (error, _stdout, stderr) => {
      watch?.stop();
      signal.removeEventListener('abort', stop);
      resolve(error === null ? undefined : stderr.trim().split('\n').slice(-complaintLines).join(' | '));
    });
    const stop = (): void => terminate(child);
    signal.addEventListener('abort', stop);
    const watch =
      child.pid === undefined
        ? undefined
        : watchForStall(child.pid, limits.stallTimeoutSeconds, () => {
            hasStalled = true;
            stop();
          });
  });
  signal.throwIfAborted();
  if (failure === undefined) return;
  if (hasStalled) throw new ServiceError('stalled', 'The packager made no progress and was ended.');
  if (/No space left|quota exceeded/i.test(failure)) throw diskFull();
  throw new ServiceError('internal', 'The packager failed. It was logged; please report it.', {
    cause: new Error(failure),
  });
}
