import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Paths of the files under a folder, from the project's root; `endings` selects some. Outputs of builds are left out: they
 * may appear and disappear while tests run.
 */
export function filesIn(folder: string, endings: readonly string[] = ['']): string[] {
  return readdirSync(projectRoot + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(projectRoot.length))
    .filter((path) => !/^[\w-]+\/dist[./]/.test(path))
    .sort();
}

export function textOf(path: string): string {
  return readFileSync(projectRoot + path, 'utf8');
}
