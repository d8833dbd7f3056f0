// The npm packages of the image by their folders, from npm's own record of the installation. Used inside the image's
// build.
import { existsSync, readFileSync } from 'node:fs';

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Installed packages by their folders. */
export function installedFolders() {
  return Object.fromEntries(
    Object.entries(readJson('node_modules/.package-lock.json').packages).filter(([path]) =>
      existsSync(`${path}/package.json`),
    ),
  );
}

/** Folder in which Node finds a package that is imported in a folder: there, or in an outer one. */
export function findFolder(folders, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (found in folders) return found;
    if (folder === '') return undefined;
  }
}
