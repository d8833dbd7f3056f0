import { onPath } from './places.mjs';
import { runQuietly, step } from './step.mjs';

/** Whether this process may install Debian packages. */
export function canUseApt() {
  return process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

/** Fetches the package lists if this simulation fails without: often they exist and are fresh. */
export async function ensurePackageLists(simulation, remedy, environment) {
  if ((await runQuietly('apt-get', simulation, environment)).code === 0) return;
  await step({ title: 'Fetching the package lists', command: 'apt-get', args: ['update', '-q'], environment, remedy });
}

export async function aptInstall(packages, what) {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=300'];
  const install = ['install', ...options, '--no-install-recommends', ...packages];
  const title = `Installing ${what} with apt-get`;
  const remedy = `Install ${what} by hand, so that it is on PATH, and run the command again.`;
  await ensurePackageLists([...install, '--simulate'], remedy, environment);
  await step({ title, expected: 'about a minute', command: 'apt-get', args: install, environment, remedy });
}
