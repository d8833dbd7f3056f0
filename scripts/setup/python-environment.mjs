import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { cacheFolder, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { step } from './step.mjs';

/** What pip says if the registry does not answer. */
const failedConnection = /NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError/;
const unreachable =
  'PyPI cannot be reached from this machine. Connect it to the internet, or name a mirror by PIP_INDEX_URL, and run the command again.';

/** Place of the Python with these PyPI packages and versions. */
function placeOf(packages) {
  const folder = join(cacheFolder(), packages.join('-').replaceAll('==', '-'));
  // A virtual environment cannot be moved, so it is made in place; this folder in it is made last.
  return { folder, python: join(folder, 'bin', 'python'), complete: join(folder, 'complete') };
}

/** Path of that Python, or undefined before it is made. */
export function findPython(packages) {
  const { python, complete } = placeOf(packages);
  return existsSync(complete) ? python : undefined;
}

/**
 * `title` names the packages and their use; `requirements` is a file with the packages' digests; `python` names the versions
 * that the packages support.
 */
export async function ensurePython(packages, { title, expected, requirements, python: version = 'Python 3' }) {
  const { folder, python, complete } = placeOf(packages);
  mkdirSync(cacheFolder(), { recursive: true });
  return await withLock(`${folder}.lock`, title, async () => {
    if (existsSync(complete)) return python;
    const remedy = `Install ${version} with its module venv, see that PyPI can be reached, and run the command again.`;
    if (onPath('python3') === undefined)
      throw new SetupError(`${title} needs python3, which is not on PATH. ${remedy}`);
    const make = { title: 'Making a Python environment', remedy };
    await step({ ...make, command: 'python3', args: ['-m', 'venv', '--clear', folder] });
    const wanted = requirements === undefined ? packages : ['--no-deps', '--require-hashes', '-r', requirements];
    const install = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', ...wanted];
    const explain = (output) => (failedConnection.test(output) ? unreachable : remedy);
    await step({ title, expected, command: python, args: install, remedy: explain });
    mkdirSync(complete);
    return python;
  });
}
