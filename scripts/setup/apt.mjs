import { onPath } from './places.mjs';
import { runQuietly, step } from './step.mjs';

/** Whether this process may install Debian packages. */
export function canUseApt() {
  return process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

/** Package lists are fetched only if the install fails without: often they exist and are fresh. */
export async function aptInstall(packages, what) {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=300'];
  const install = ['install', ...options, '--no-install-recommends', ...packages];
  const title = `Installing ${what} with apt-get`;
  const simulation = await runQuietly('apt-get', [...install, '--simulate'], environment);
  const remedy = `Install ${what} by hand, so that it is on PATH, and run the command again.`;
  if (simulation.code !== 0) {
    await step({
      title: 'Fetching the package lists',
      command: 'apt-get',
      args: ['update', '-q'],
      environment,
      remedy,
    });
  }
  await step({ title, expected: 'about a minute', command: 'apt-get', args: install, environment, remedy });
}
