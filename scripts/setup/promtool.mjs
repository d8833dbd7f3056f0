import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canUseApt } from './apt.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, isExecutableFile, namedByVariable, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { step } from './step.mjs';

const cached = () => join(cacheFolder(), 'promtool', 'promtool');

/** The path of promtool, which checks metrics and alerting rules for the tests, where there is one. */
export function findPromtool() {
  return namedByVariable('PROMTOOL_PATH') ?? onPath('promtool') ?? (isExecutableFile(cached()) ? cached() : undefined);
}

const remedy =
  'Install promtool (of Prometheus) so that it is on PATH, or name it in PROMTOOL_PATH, and run the command again.';

/** Out of Debian's package, which is not installed: it would start a Prometheus. */
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
