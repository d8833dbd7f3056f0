import { findGoProgram, goInstall } from './go-install.mjs';

const version = 'v1.8.0';

/** Path of versitygw, the second S3 server of the tests, or undefined. */
export function findVersitygw() {
  return findGoProgram('VERSITYGW_PATH', 'versitygw', version);
}

export async function buildVersitygw() {
  return await goInstall({
    name: 'versitygw',
    module: 'github.com/versity/versitygw/cmd/versitygw',
    version,
    title: 'Building versitygw, the second S3 server of the tests, with Go',
    expected: 'about 2 minutes, once on this machine',
    remedy: 'Install versitygw so that it is on PATH, or name it in VERSITYGW_PATH, and run the command again.',
  });
}
