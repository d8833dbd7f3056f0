import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../cli-error.ts';
import type { Staging } from '../../client/staging.ts';
import { formatPath } from '../text/format-path.ts';
import { deliver } from './delivery.ts';

/** Where outputs go: a folder of this machine, by way of the staging folder, or straight to S3. */
export type Destination = { kind: 'folder'; path: string } | { kind: 's3'; prefix: string };

export function parseDestination(out: string | undefined, userFolder: string, defaultName = '.'): Destination {
  if (out === undefined) return { kind: 'folder', path: resolve(userFolder, defaultName) };
  if (out.startsWith('s3://')) return { kind: 's3', prefix: out.endsWith('/') ? out : `${out}/` };
  if (out.startsWith('file:')) return { kind: 'folder', path: fileURLToPath(out) };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(out)) {
    throw new CliError(
      `Outputs cannot be written to "${out}": --out takes a folder of this machine or an address such as s3://bucket/folder/.`,
    );
  }
  return { kind: 'folder', path: resolve(userFolder, out) };
}

/** Only the run finds out how many chunks there are, and their names: so the folder must not hold those of an older run. */
export function assertNewFolder(destination: Destination, force: boolean): void {
  if (force || destination.kind === 's3' || !existsSync(destination.path)) return;
  if (readdirSync(destination.path).length === 0) return;
  throw new CliError(
    `The folder ${destination.path} is not empty. Use --force to write into it all the same, or --out FOLDER to write elsewhere.`,
  );
}

/** The URL that a workflow uploads an output to. */
export function uploadUrl(destination: Destination, staging: Staging, name: string): string {
  return destination.kind === 's3' ? `${destination.prefix}${name}` : staging.outputUrl(name);
}

export function uploadUrlPrefix(destination: Destination, staging: Staging): string {
  return destination.kind === 's3' ? destination.prefix : staging.outputPrefix;
}

/** Moves an output from the staging folder to its destination and names that place as the person would. */
export async function deliverOutput(
  destination: Destination,
  staging: Staging,
  name: string,
  options: { force: boolean; userFolder: string },
): Promise<string> {
  if (destination.kind === 's3') return `${destination.prefix}${name}`;
  const target = join(destination.path, name);
  await deliver(staging.outputPath(name), target, options.force);
  return formatPath(target, options.userFolder);
}
