import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canUseApt, ensurePackageLists } from './apt.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, isExecutableFile, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { step } from './step.mjs';

/** Extracts one program from a Debian package; installing the package would start a service. */
export async function fetchDebianFile({ name, packageName, path, cached, purpose, remedy }) {
  // Only the package lists need root.
  if (onPath('apt-get') === undefined || onPath('dpkg') === undefined)
    throw new SetupError(`The tests need ${name}, which ${purpose}, and it is not installed. ${remedy}`);
  await mkdir(dirname(cached), { recursive: true });
  await withLock(join(cacheFolder(), `${name}.lock`), name, async () => {
    if (isExecutableFile(cached)) return;
    if (canUseApt()) {
      const simulation = ['download', '--print-uris', packageName];
      await withLock(join(cacheFolder(), 'apt.lock'), 'apt-get', () => ensurePackageLists(simulation, remedy));
    }
    const folder = await mkdtemp(join(dirname(cached), 'fetch-'));
    try {
      const title = `Fetching ${name}, which ${purpose} for the tests`;
      await step({ title, command: 'apt-get', args: ['download', '-q', packageName], folder, remedy });
      const file = (await readdir(folder)).find((found) => found.endsWith('.deb'));
      await step({ title: 'Unpacking it', command: 'dpkg', args: ['-x', file, 'files'], folder, remedy });
      await rename(join(folder, 'files', path), cached);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  return cached;
}
