import { globSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isInside } from '../../contract/file-url.ts';
import { CliError } from '../cli-error.ts';
import { describeDiskError } from './disk-error.ts';
import { localFileOf } from './file-url.ts';
import { findPath, parseSource, type NamedSource } from './named-source.ts';
import { realFolder, realPlace } from './same-file.ts';

export interface ListedSource {
  source: NamedSource;
  /** Subfolder for its outputs: its path below the named folder or pattern, else ''. */
  subfolder: string;
  /** True for a file that a folder or pattern has listed; absent for one that an argument names. */
  isFound?: true;
}

/** Extensions of the files that are read from a folder; patterns match any file. */
const mediaExtensions = new Set(
  (
    '.3gp .aac .ac3 .aif .aiff .amr .ape .asf .au .avi .caf .dsf .dts .eac3 .flac .flv .m2ts .m4a .m4b .m4v .mka .mkv .mov .mp2 .mp3 ' +
    '.mp4 .mpeg .mpg .mts .mxf .nut .oga .ogg .ogv .opus .spx .ts .tta .voc .vob .w64 .wav .webm .wma .wmv .wv'
  ).split(' '),
);

const fileUrl = /^file:\/\//i;

/** Lists each source once, in the order of the arguments and within a folder by name. */
export function listSources(
  texts: readonly string[],
  { userFolder, isRecursive }: { userFolder: string; isRecursive: boolean },
): ListedSource[] {
  const listed = texts.flatMap((text) => listOne(text, userFolder, isRecursive));
  const seen = new Set<string>();
  return listed.filter(({ source }) => {
    const key = source.kind === 'file' ? realPlace(source.path) : source.url;
    return !seen.has(key) && seen.add(key);
  });
}

function listOne(text: string, userFolder: string, isRecursive: boolean): ListedSource[] {
  // An unset shell variable gives an empty text, which would mean the current folder.
  if (text.trim() === '') throw new CliError('One of the sources is empty. Name a file, a folder or a URL.');
  const path = localPath(text, userFolder);
  if (path === undefined) return [{ source: parseSource(text, userFolder), subfolder: '' }];
  const stats = findPath(path, text);
  if (stats?.isDirectory() === true) return listFolder(path, text, isRecursive);
  if (stats === undefined && /[*?[{]/.test(text))
    return listPattern(fileUrl.test(text) ? path : text, text, userFolder);
  return [{ source: parseSource(text, userFolder), subfolder: '' }];
}

/** Undefined for a remote URL. */
function localPath(text: string, userFolder: string): string | undefined {
  if (fileUrl.test(text)) return localFileOf(text);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return undefined;
  return isAbsolute(text) ? text : resolve(userFolder, text);
}

function listFolder(folder: string, typed: string, isRecursive: boolean): ListedSource[] {
  const paths = mediaPathsOf(readFolder(folder, typed, isRecursive));
  if (paths.length > 0) return listBelow(folder, paths);
  const searchDeeper = isRecursive ? '' : ' Use --recursive to include its subfolders.';
  throw new CliError(`The folder "${typed}" contains no media files.${searchDeeper}`);
}

/** The media files and links to files among the entries of folders. Names that begin with a dot are hidden. */
export function mediaPathsOf(entries: readonly Dirent[]): string[] {
  return entries
    .filter(({ name }) => mediaExtensions.has(extname(name).toLowerCase()) && !isHidden(name))
    .filter((entry) => entry.isFile() || leadsTo(entry, 'isFile'))
    .map(pathOf);
}

/** Folders that a recursive search enters. Hidden ones, such as the bin of a disk, may be readable by root only. */
export function subfoldersOf(entries: readonly Dirent[]): string[] {
  return entries.filter((entry) => entry.isDirectory() && !isHidden(entry.name)).map(pathOf);
}

function readFolder(folder: string, typed: string, isRecursive: boolean): Dirent[] {
  try {
    return readTree(folder, isRecursive);
  } catch (error) {
    const { path = folder } = error as NodeJS.ErrnoException;
    const where = path === folder ? `"${typed}"` : `"${path}" in "${typed}"`;
    throw new CliError(`The folder ${where} cannot be read: ${describeDiskError(error)}.`);
  }
}

/** Enters each folder once, links to folders after all others. */
function readTree(top: string, isRecursive: boolean): Dirent[] {
  const [entered, links, read]: [Set<string>, string[], Dirent[][]] = [new Set(), [], []];
  const enter = (folder: string): void => {
    const path = realFolder(folder);
    if (entered.has(path)) return;
    entered.add(path);
    const entries = readdirSync(folder, { withFileTypes: true });
    read.push(entries);
    if (!isRecursive) return;
    subfoldersOf(entries).forEach(enter);
    links.push(...linkedFoldersOf(entries));
  };
  enter(top);
  // A linked folder may have links of its own.
  for (const link of links) enter(link);
  return read.flat();
}

function linkedFoldersOf(entries: readonly Dirent[]): string[] {
  return entries.filter((entry) => !isHidden(entry.name) && leadsTo(entry, 'isDirectory')).map(pathOf);
}

/** False for an entry that is no link, and for a link that leads nowhere. */
function leadsTo(entry: Dirent, kind: 'isFile' | 'isDirectory'): boolean {
  try {
    return entry.isSymbolicLink() && statSync(pathOf(entry))[kind]();
  } catch {
    return false;
  }
}

function pathOf({ parentPath, name }: Dirent): string {
  return join(parentPath, name);
}

/** A relative pattern stays relative, because the name of the user's folder may have wildcards, too. */
function listPattern(pattern: string, typed: string, userFolder: string): ListedSource[] {
  const paths = globSync(pattern, { cwd: userFolder })
    .map((path) => resolve(userFolder, path))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  if (paths.length === 0) throw new CliError(`No file matches "${typed}".`);
  let folder = resolve(userFolder, folderOfPattern(pattern));
  // `{../a,../b}/*.wav` has no part before its first wildcard, and finds files elsewhere.
  while (!paths.every((path) => isInside(folder, path))) folder = dirname(folder);
  return listBelow(folder, paths);
}

/** The part of a pattern before its first wildcard: `talks/`, or '' for the current folder. */
function folderOfPattern(pattern: string): string {
  const parts = pattern.split(sep);
  const firstWildcard = parts.findIndex((part) => /[*?[{]/.test(part));
  return [...parts.slice(0, firstWildcard), ''].join(sep);
}

function listBelow(folder: string, paths: readonly string[]): ListedSource[] {
  return [...paths].sort().map((path) => listFile(folder, path));
}

/** A file below a folder; its outputs keep its place in the tree. */
export function listFile(folder: string, path: string): ListedSource {
  const subfolder = dirname(relative(folder, path));
  return { source: parseSource(path, folder), subfolder: subfolder === '.' ? '' : subfolder, isFound: true };
}

export function isHidden(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.'));
}
