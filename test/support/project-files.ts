import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** All files under a folder, or those with one of these endings, as paths from the project's root. */
export function filesIn(folder: string, endings: readonly string[] = ['']): string[] {
  return readdirSync(projectRoot + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(projectRoot.length))
    .sort();
}

export function textOf(path: string): string {
  return readFileSync(projectRoot + path, 'utf8');
}
