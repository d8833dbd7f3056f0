import { existsSync, readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { CliError } from '../cli-error.ts';
import type { Staging } from '../../client/staging.ts';
import { isFileUrl } from '../../contract/url-scheme.ts';
import { needsSigning } from '../../stores/backends.ts';
import { parseObjectUrl } from '../../stores/object-url.ts';
import { localFileOf } from './file-url.ts';

/** Destination of outputs: a local folder, via the staging folder, or a store directly. */
export type Destination = { kind: 'folder'; path: string } | { kind: 'store'; prefix: string };

export function parseDestination(out: string | undefined, userFolder: string): Destination {
  if (out === undefined) return { kind: 'folder', path: resolve(userFolder) };
  if (out.trim() === '') throw new CliError('--out is empty. Name a folder or omit the option.');
  if (needsSigning(out)) {
    const prefix = out.endsWith('/') ? out : `${out}/`;
    if (parseObjectUrl(`${prefix}-`) !== undefined) return { kind: 'store', prefix };
    throw new CliError(
      `"${out}" names no valid bucket or server. Use s3://bucket/folder/, az://account/container/folder/, gs://bucket/folder/ or sftp://host/folder/.`,
    );
  }
  if (isFileUrl(out)) return { kind: 'folder', path: localFileOf(out) };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(out)) {
    throw new CliError(
      `Outputs cannot be written to "${out}": --out takes a local folder or a URL such as s3://bucket/folder/, az://account/container/folder/, gs://bucket/folder/ or sftp://host/folder/.`,
    );
  }
  return { kind: 'folder', path: resolve(userFolder, out) };
}

/** True for the name of a folder, whose files the run names. */
export function isFolderName(name: string): boolean {
  return name.endsWith('/');
}

export function destinationBelow(destination: Destination, subfolder: string): Destination {
  if (subfolder === '') return destination;
  if (destination.kind === 'folder') return { kind: 'folder', path: join(destination.path, subfolder) };
  // A key is literal.
  return { kind: 'store', prefix: `${destination.prefix}${subfolder.replaceAll(sep, '/')}/` };
}

export function holdsFiles(destination: Destination): boolean {
  return destination.kind === 'folder' && existsSync(destination.path) && readdirSync(destination.path).length > 0;
}

/** Throws if --skip-existing would find nothing, so that each run would be paid again. */
export function assertFindsExisting(destination: Destination): void {
  if (destination.kind === 'folder') return;
  throw new CliError('--skip-existing checks local files, so it cannot be used if --out names a store.');
}

/** The names of chunks are unknown before the run, so the folder must hold no files of an older run. */
export function assertNewFolder(destination: Destination): void {
  if (destination.kind === 'store' || !holdsFiles(destination)) return;
  throw new CliError(
    `The folder ${destination.path} is not empty. Use --overwrite to write into it, --skip-existing to skip it, or --out FOLDER to write elsewhere.`,
  );
}

export function uploadUrl(destination: Destination, staging: Staging, name: string): string {
  return destination.kind === 'store' ? `${destination.prefix}${name}` : staging.outputUrl(name);
}

/** Upload target of an output: one file, or a folder of files. */
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
