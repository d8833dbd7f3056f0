import { isAbsolute, relative, sep } from 'node:path';

/** The path relative to the user's folder, or absolute outside of it. */
export function formatPath(path: string, userFolder: string): string {
  const fromThere = relative(userFolder, path);
  return isAbsolute(fromThere) || fromThere.startsWith(`..${sep}`) ? path : fromThere;
}
