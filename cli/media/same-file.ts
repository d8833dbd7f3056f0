import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Keys that two paths share if writing to the one may replace the other: the path with the links of its folder resolved,
 * and device and inode of an existing file, whatever links lead to it.
 */
export function fileKeys(path: string): string[] {
  return [realPlace(path), ...identityOf(path)];
}

/** Keys that two paths share if moving a file to the one replaces the other: a link itself is replaced, not its target. */
export function entryKeys(path: string): string[] {
  return [realPlace(path), ...identityOf(path, lstatSync)];
}

/** Empty if no file can be found at the path. */
function identityOf(path: string, factsOf: typeof statSync = statSync): string[] {
  try {
    const { dev, ino } = factsOf(path, { bigint: true });
    return [`${dev}:${ino}`];
  } catch {
    return [];
  }
}

export function isSameFile(one: string, other: string): boolean {
  const keys = fileKeys(other);
  return fileKeys(one).some((key) => keys.includes(key));
}

/** True if both are files of the same bytes. */
export async function holdSameBytes(one: string, other: string): Promise<boolean> {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (first?.isFile() !== true || second?.isFile() !== true || first.size !== second.size) return false;
  return isSameFile(one, other) || (await digestOf(one)) === (await digestOf(other));
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Resolves links in the folder, but not in the file name: a rename replaces a link, not its target. */
export function realPlace(path: string): string {
  return join(realFolder(dirname(path)), basename(path));
}

/** Resolves the links in a path, as far as its folders exist. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? folder : join(realFolder(parent), basename(folder));
  }
}
