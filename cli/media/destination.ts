import { existsSync, readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { Staging } from '../../client/staging.ts';
import { parseObjectUrl } from '../../stores/object-url.ts';
import { needsSigning } from '../../stores/backends.ts';
import { CliError } from '../cli-error.ts';
import { localFileOf } from './file-url.ts';
import { isFolderName } from './output-names.ts';

/** Outputs go through the staging folder to a folder of this machine, or straight to a store. */
export type Destination = { kind: 'folder'; path: string } | { kind: 'store'; prefix: string };

export function parseDestination(out: string | undefined, userFolder: string, defaultName = '.'): Destination {
  if (out === undefined) return { kind: 'folder', path: resolve(userFolder, defaultName) };
  if (out.trim() === '') throw new CliError('--out is an empty text. Name a folder, or leave it out.');
  if (needsSigning(out)) {
    const prefix = out.endsWith('/') ? out : `${out}/`;
    if (parseObjectUrl(`${prefix}-`) !== undefined) return { kind: 'store', prefix };
    throw new CliError(`"${out}" names no bucket: it must look like s3://bucket/folder/.`);
  }
  if (out.startsWith('file:')) return { kind: 'folder', path: localFileOf(out) };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(out)) {
    throw new CliError(
      `Outputs cannot be written to "${out}": --out takes a folder of this machine or an address such as s3://bucket/folder/.`,
    );
  }
  return { kind: 'folder', path: resolve(userFolder, out) };
}

/** The folder of that name below it. */
export function destinationBelow(destination: Destination, subfolder: string): Destination {
  if (subfolder === '') return destination;
  if (destination.kind === 'folder') return { kind: 'folder', path: join(destination.path, subfolder) };
  const path = subfolder.split(sep).map(encodeURIComponent).join('/');
  return { kind: 'store', prefix: `${destination.prefix}${path}/` };
}

/** Whether a run that finds its own file names would meet those of an older one there. */
export function holdsFiles(destination: Destination): boolean {
  return destination.kind === 'folder' && existsSync(destination.path) && readdirSync(destination.path).length > 0;
}

/** Only the run finds out how many chunks there are, and their names: so the folder must not hold those of an older run. */
export function assertNewFolder(destination: Destination): void {
  if (destination.kind === 'store' || !holdsFiles(destination)) return;
  throw new CliError(
    `The folder ${destination.path} is not empty. Use --overwrite to write into it all the same, --skip-existing to leave it, or --out FOLDER to write elsewhere.`,
  );
}

/** The URL that a workflow uploads an output to. */
export function uploadUrl(destination: Destination, staging: Staging, name: string): string {
  return destination.kind === 'store' ? `${destination.prefix}${name}` : staging.outputUrl(name);
}

/** Where a workflow puts an output: a file, or all files of a folder. */
export function uploadPlace(
  destination: Destination,
  staging: Staging,
  name: string,
): { uploadUrl: string } | { uploadUrlPrefix: string } {
  const url = uploadUrl(destination, staging, name);
  return isFolderName(name) ? { uploadUrlPrefix: url } : { uploadUrl: url };
}

export function uploadUrlPrefix(destination: Destination, staging: Staging): string {
  return destination.kind === 'store' ? destination.prefix : staging.outputPrefix;
}
