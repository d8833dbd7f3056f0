import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PackageRefusal, PackageReport } from '../../contract/package-report.ts';
import { CliError } from '../cli-error.ts';
import { formatPackage } from '../inspect/format-package.ts';
import type { PackageIndex } from '../inspect/package-index.ts';
import { projectRoot, type Settings } from '../settings.ts';
import { printable } from '../text/printable.ts';
import { widthOf } from '../text/wrap-text.ts';

export interface InspectPackageOptions {
  json: boolean;
  /** Decode each segment. */
  decode: boolean;
}

/** Enough for a package of a day; each segment takes some kilobytes. */
const mostHeapMegabytes = 1024;

/**
 * Checks a streaming package on this machine; the exit code is 1 if it has problems. A child process does the work, and
 * its heap limit stops a hostile manifest: a few lines can name billions of segments.
 */
export async function inspectPackage(
  index: PackageIndex,
  { json, decode }: InspectPackageOptions,
  { inheritedEnvironment }: Pick<Settings, 'inheritedEnvironment'>,
): Promise<number> {
  const args = [
    `--max-old-space-size=${mostHeapMegabytes}`,
    join(projectRoot, 'container/inspect-package.ts'),
    JSON.stringify({ ...index, decode }),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: inheritedEnvironment });
  const end = (): void => void child.kill();
  process.once('exit', end);
  // An interrupted child exits without a report.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  const [told, complaints, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (told === '' && code === 0) throw new CliError('', 130);
  if (told === '' && signal === 'SIGABRT') {
    throw new CliError(
      'The package cannot be checked: its playlists or manifest list more segments than fit into memory.',
    );
  }
  if (told === '') {
    // This output explains the crash. After a success, it holds only parser warnings, which the report covers.
    process.stderr.write(complaints.split('\n').map(printable).join('\n'));
    throw new CliError('The package cannot be checked: the process that reads it ended early.');
  }
  const value: unknown = JSON.parse(told);
  const refused = PackageRefusal.safeParse(value);
  if (refused.success) throw new CliError(printable(refused.data.refusal));
  const report = PackageReport.parse(value);
  process.stdout.write(`${json ? JSON.stringify(report, null, 2) : formatPackage(report, widthOf(process.stdout))}\n`);
  return report.problems.length === 0 ? 0 : 1;
}
