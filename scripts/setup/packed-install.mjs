import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { withLock } from './lock.mjs';
import { cacheFolder, projectRoot } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { say } from './step.mjs';

/** npm packs no package-lock.json. `npm pack` copies it under this name, which npm packs (`prepack`). */
const packedLock = 'npm-shrinkwrap.json';

/**
 * Folder that Holdfast runs in. Node reads TypeScript in no folder below `node_modules`, and npm installs no
 * development dependencies of a package. A package that npm installed is therefore copied to the cache, once.
 */
export async function runnableRoot() {
  if (!projectRoot.split(sep).includes('node_modules')) return projectRoot;
  const name = createHash('sha256').update(projectRoot).digest('hex').slice(0, 12);
  const copy = join(cacheFolder(), 'installs', name);
  if (isCopied(copy)) return copy;
  try {
    await withLock(`${copy}.lock`, 'the copy of Holdfast', () => {
      if (!isCopied(copy)) copyTo(copy);
    });
  } catch (error) {
    throw new SetupError(
      `The package in ${projectRoot} cannot be copied to ${copy}: ${error.message}. ` +
        'Correct that, or set HOLDFAST_CACHE to a folder that you can write to, and run the command again.',
    );
  }
  return copy;
}

const stampOf = (copy) => join(copy, '.holdfast-copy');

/** A new install of the package has a new time of change, whatever its version. */
const wantedStamp = () => String(statSync(join(projectRoot, 'package.json')).ctimeMs);

function isCopied(copy) {
  try {
    return readFileSync(stampOf(copy), 'utf8') === wantedStamp();
  } catch {
    // There is no copy, or another command replaces it.
    return false;
  }
}

function copyTo(copy) {
  say(`Copying Holdfast from ${projectRoot} to ${copy} …`);
  // The packages of an earlier copy remain if the lock file is the same.
  for (const name of existsSync(copy) ? readdirSync(copy) : []) {
    if (name !== 'node_modules' && name !== '.holdfast') rmSync(join(copy, name), { recursive: true });
  }
  const packages = join(projectRoot, 'node_modules');
  cpSync(projectRoot, copy, { recursive: true, filter: (path) => path !== packages });
  renameSync(join(copy, packedLock), join(copy, 'package-lock.json'));
  writeFileSync(stampOf(copy), wantedStamp());
}
