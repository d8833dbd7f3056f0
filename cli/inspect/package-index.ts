import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** URLs of a streaming package's index files. */
export interface PackageIndex {
  playlist?: string;
  manifest?: string;
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** Index of a playlist, a manifest, or a folder with `master.m3u8` or `manifest.mpd`; undefined if the text names no package. */
export function findPackageIndex(text: string, userFolder: string): PackageIndex | undefined {
  if (/^https?:/i.test(text)) return URL.canParse(text) ? indexAt(text, new URL(text).pathname) : undefined;
  const named = /^file:/i.test(text) ? pathOf(text) : text;
  if (named === undefined || /^[a-z][a-z0-9+.-]+:\/\//i.test(named)) return undefined;
  const path = isAbsolute(named) ? named : resolve(userFolder, named);
  if (isFile(path)) return indexAt(pathToFileURL(path).href, path);
  const [playlist, manifest] = [join(path, 'master.m3u8'), join(path, 'manifest.mpd')];
  const found = {
    ...(isFile(playlist) && { playlist: pathToFileURL(playlist).href }),
    ...(isFile(manifest) && { manifest: pathToFileURL(manifest).href }),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

function indexAt(url: string, path: string): PackageIndex | undefined {
  if (/\.m3u8?$/i.test(path)) return { playlist: url };
  return /\.mpd$/i.test(path) ? { manifest: url } : undefined;
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
