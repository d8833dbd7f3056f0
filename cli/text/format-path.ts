import { isAbsolute, relative, sep } from 'node:path';

/** As the person would type it from where they are. */
export function formatPath(path: string, userFolder: string): string {
  const fromThere = relative(userFolder, path);
  return isAbsolute(fromThere) || fromThere.startsWith(`..${sep}`) ? path : fromThere;
}
