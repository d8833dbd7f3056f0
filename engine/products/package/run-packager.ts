import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { withStepSpan } from '../../../tracing/phases.ts';
import { diskFull, MediaError } from '../../media-error.ts';
import { type ProcessEnd, signalFailure } from '../../ffmpeg/failure.ts';
import { meterProcess } from '../../ffmpeg/cpu-time.ts';
import { guardArguments, guardPath } from '../../ffmpeg/guard.ts';
import type { ProcessLimits } from '../../ffmpeg/process-limits.ts';
import { watchForStall } from '../../ffmpeg/stall-watch.ts';
import { terminate } from '../../ffmpeg/terminate.ts';
import { keyFlags } from './encryption-arguments.ts';
import { packagerArguments } from './packager-arguments.ts';
import type { PackagePlan } from './package-plan.ts';

const systems: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'osx' };

/** The program itself: killing the launcher of the npm package would leave it running. */
function packagerPath(): string {
  const entry = createRequire(import.meta.url).resolve('shaka-packager');
  return join(dirname(entry), 'bin', `packager-${systems[process.platform] ?? process.platform}-${process.arch}`);
}

/** The output holds `key=value` and our own paths; a few lines of it explain a failure in the log. */
const complaintLines = 5;
const mostComplaintCharacters = 1024 ** 2;

/** Packages the parts in `folder`. Throws on failure, and throws an abort's reason once the process has ended. */
export function runPackager(
  plan: PackagePlan,
  folder: string,
  limits: ProcessLimits,
  signal: AbortSignal,
): Promise<void> {
  return withStepSpan('packager', {}, () => packageParts(plan, folder, limits, signal));
}

async function packageParts(
  plan: PackagePlan,
  folder: string,
  limits: ProcessLimits,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  // Its threads create missing folders in parallel, and a thread fails if another has just created the same one.
  const folders = plan.layout === 'files' ? plan.parts.map(({ name }) => join(folder, name)) : [folder];
  for (const path of folders) await mkdir(path, { recursive: true });
  const args = [
    ...guardArguments('packager', { ...limits, writableFolder: folder }),
    ...packagerArguments(plan, basename(folder)),
  ];
  const flags = plan.encryption && keyFlags(plan.encryption);
  const input = flags === undefined ? undefined : await openUnlinked(`${folder}-flags`, flags);
  let hasStalled = false;
  let end: ProcessEnd & { said: string };
  try {
    const child = spawn(guardPath, args, {
      cwd: dirname(folder),
      env: { ...process.env, PACKAGER: packagerPath() },
      stdio: [input?.fd ?? 'ignore', 'ignore', 'pipe'],
    });
    meterProcess(child);
    const stop = (): void => terminate(child);
    signal.addEventListener('abort', stop);
    const watch =
      child.pid === undefined
        ? undefined
        : watchForStall(child.pid, limits.stallTimeoutSeconds, () => {
            hasStalled = true;
            stop();
          });
    end = await endOf(child);
    watch?.stop();
    signal.removeEventListener('abort', stop);
  } finally {
    await input?.close();
  }
  signal.throwIfAborted();
  if (end.exitCode === 0) return;
  if (hasStalled) throw new MediaError('stalled', 'The packager made no progress and was ended.');
  if (/No space left|quota exceeded/i.test(end.said)) throw diskFull();
  if (end.signal !== null) throw signalFailure(end.signal, 'The packager');
  const key = plan.encryption?.key.toString('hex');
  throw new MediaError('internal', 'The packager failed. It was logged; please report it.', {
    // The packager repeats flags that it cannot parse, and they contain the key.
    cause: new Error(key === undefined ? end.said : end.said.replaceAll(key, '…')),
  });
}

/**
 * Opens an unlinked file for a process to read; no path leads to it even after a crash. Node's pipes are sockets, which
 * cannot be reopened.
 */
async function openUnlinked(path: string, text: string): Promise<FileHandle> {
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    await file.write(text, 0);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Exit of a process, with the last lines of its output. */
function endOf(child: ChildProcess): Promise<ProcessEnd & { said: string }> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-mostComplaintCharacters);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: null, signal: null, said: error.message }));
    child.once('close', (exitCode, signal) => {
      resolve({ exitCode, signal, said: said.trim().split('\n').slice(-complaintLines).join(' | ') });
    });
  });
}
