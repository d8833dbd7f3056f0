import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canUseApt } from './apt.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, isExecutableFile, namedByVariable, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { step } from './step.mjs';

const cached = () => join(cacheFolder(), 'promtool', 'promtool');

/** Path of promtool, which checks metrics and alerting rules in the tests, or undefined. */
export function findPromtool() {
  return namedByVariable('PROMTOOL_PATH') ?? onPath('promtool') ?? (isExecutableFile(cached()) ? cached() : undefined);
}

const remedy =
  'Install promtool (of Prometheus) so that it is on PATH, or name it in PROMTOOL_PATH, and run the command again.';

/** Extracts promtool from Debian's package; installing the package would start a Prometheus. */
export async function fetchPromtool() {
  if (!canUseApt())
    throw new SetupError(`The tests check alerting rules with promtool, which is not on PATH. ${remedy}`);
  await mkdir(join(cacheFolder(), 'promtool'), { recursive: true });
  await withLock(join(cacheFolder(), 'promtool.lock'), 'promtool', async () => {
    if (isExecutableFile(cached())) return;
    const folder = await mkdtemp(join(cacheFolder(), 'promtool', 'fetch-'));
    try {
      const title = 'Fetching promtool, which checks alerting rules for the tests';
      await step({ title, command: 'apt-get', args: ['download', '-q', 'prometheus'], folder, remedy });
      const file = (await readdir(folder)).find((name) => name.endsWith('.deb'));
      await step({ title: 'Unpacking it', command: 'dpkg', args: ['-x', file, 'files'], folder, remedy });
      await rename(join(folder, 'files', 'usr', 'bin', 'promtool'), cached());
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  return cached();
}
