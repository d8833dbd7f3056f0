import { findGoProgram, goInstall } from './go-install.mjs';

const version = 'v1.7.7';

/** Path of actionlint, which checks the workflows of GitHub Actions, or undefined. */
export function findActionlint() {
  return findGoProgram('ACTIONLINT_PATH', 'actionlint', version);
}

export async function buildActionlint() {
  return await goInstall({
    name: 'actionlint',
    module: 'github.com/rhysd/actionlint/cmd/actionlint',
    version,
    title: 'Building actionlint, which checks the workflows of GitHub Actions for the tests, with Go',
    expected: 'about half a minute, once on this machine',
    remedy: 'Install actionlint so that it is on PATH, or name it in ACTIONLINT_PATH, and run the command again.',
  });
}
