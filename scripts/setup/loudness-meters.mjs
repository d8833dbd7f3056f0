import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { cacheFolder, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { step } from './step.mjs';

/** ITU-R BS.1770-4 in Python, and libebur128, which measures true peaks too. */
const packages = ['pyloudnorm==0.2.0', 'pyebur128==0.1.1'];

const title = 'Installing pyloudnorm and libebur128, which check loudness, from PyPI';

/** The path of a Python that has two meters of loudness which are not ffmpeg's. */
export async function ensureLoudnessMeters() {
  const folder = join(cacheFolder(), packages.join('-').replaceAll('==', '-'));
  const python = join(folder, 'bin', 'python');
  // A virtual environment cannot be moved, so it is made in its place; this folder in it is made last.
  const complete = join(folder, 'complete');
  mkdirSync(cacheFolder(), { recursive: true });
  return await withLock(`${folder}.lock`, title, async () => {
    if (existsSync(complete)) return python;
    const remedy = 'Install Python 3 with its module venv, see that PyPI can be reached, and run the command again.';
    if (onPath('python3') === undefined)
      throw new SetupError(`${title} needs python3, which is not on PATH. ${remedy}`);
    const make = { title: 'Making a Python environment for meters of loudness', remedy };
    await step({ ...make, command: 'python3', args: ['-m', 'venv', '--clear', folder] });
    const install = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', ...packages];
    await step({ title, expected: 'half a minute, once on this machine', command: python, args: install, remedy });
    mkdirSync(complete);
    return python;
  });
}
