import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { basename, extname, isAbsolute, resolve } from 'node:path';
import { parseRelayedUrl } from '../../contract/relayed-url.ts';
import { decodedPart } from '../../contract/url-part.ts';
import { needsSigning } from '../../stores/backends.ts';
import { parseObjectUrl } from '../../stores/object-url.ts';
import { CliError } from '../cli-error.ts';
import { describeDiskError } from './disk-error.ts';
import { localFileOf } from './file-url.ts';

/** A local file, or a URL that the container downloads. `name` is the file's name without extension; it names the outputs. */
export type NamedSource = { kind: 'file'; path: string; name: string } | { kind: 'url'; url: string; name: string };

export function parseSource(text: string, userFolder: string): NamedSource {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return statSource(isAbsolute(text) ? text : resolve(userFolder, text), text);
  if (!URL.canParse(text)) throw new CliError(`"${text}" is not a valid URL.`);
  if (scheme === 'file') return statSource(localFileOf(text), text);
  if (!['http', 'https'].includes(scheme) && !needsSigning(text)) {
    throw new CliError(
      `"${text}" cannot be fetched: a source is a local file or a URL that starts with https://, http://, s3://, az://, gs://, sftp:// or webdav+https://.`,
    );
  }
  // The path at a store is literal: `#`, `?` and `%` are ordinary characters.
  const path = parseRelayedUrl(text)?.path ?? parseObjectUrl(text)?.key ?? decodedPart(new URL(text).pathname);
  return { kind: 'url', url: text, name: nameOf(path) };
}

function statSource(path: string, typed: string): NamedSource {
  const stats = findPath(path, typed);
  if (stats === undefined) throw new CliError(`There is no file "${typed}"${typed === path ? '' : ` (${path})`}.`);
  if (stats.isDirectory()) throw new CliError(`"${typed}" is a folder. Name a media file in it.`);
  if (!stats.isFile()) throw new CliError(`"${typed}" is not a regular file. Save its data to a file first.`);
  whileReading(typed, () => accessSync(path, constants.R_OK));
  return { kind: 'file', path, name: nameOf(path) };
}

/** Undefined if nothing exists at the path. */
export function findPath(path: string, typed: string): Stats | undefined {
  const stats = whileReading(typed, () => statSync(path, { throwIfNoEntry: false }));
  if (stats !== undefined || !path.includes('\uFFFD')) return stats;
  // Node replaces the invalid bytes, so the path no longer leads to the file.
  throw new CliError(`The name of "${typed}" is not UTF-8. Rename it first.`);
}

function whileReading<Result>(typed: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new CliError(`"${typed}" cannot be read: ${describeDiskError(error)}.`);
  }
}

function nameOf(path: string): string {
  const name = basename(path, extname(path));
  return name === '' || name === '/' ? 'output' : name;
}
