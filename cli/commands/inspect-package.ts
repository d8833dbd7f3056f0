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

export interface InspectPackageOptions {
  json: boolean;
  /** Whether each segment is decoded. */
  decode: boolean;
}

/** A manifest of a few lines can name billions of segments. Of those of a day each has some kilobytes. */
const mostHeapMegabytes = 1024;

/** Tells what a package for streaming holds, and what is wrong with it: then the exit code is 1. It is read on this machine. */
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
  // It ends by itself where it was interrupted, and has nothing more to say.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  const [told, complaints, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (told === '' && code === 0) throw new CliError('', 130);
  if (told === '' && signal === 'SIGABRT') {
    throw new CliError(
      'The package could not be checked: its playlists or its manifest name more segments than fit into memory.',
    );
  }
  if (told === '') {
    // Else they are of a parser, which warns of what is told in a sentence.
    process.stderr.write(complaints.split('\n').map(printable).join('\n'));
    throw new CliError('The package could not be checked: what reads it has ended before it was done.');
  }
  const value: unknown = JSON.parse(told);
  const refused = PackageRefusal.safeParse(value);
  if (refused.success) throw new CliError(printable(refused.data.refusal));
  const report = PackageReport.parse(value);
  process.stdout.write(`${json ? JSON.stringify(report, null, 2) : formatPackage(report)}\n`);
  return report.problems.length === 0 ? 0 : 1;
}
