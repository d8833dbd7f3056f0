import { cachedProgram, goInstall } from './go-install.mjs';
import { isExecutableFile, namedByVariable, onPath } from './places.mjs';

const version = 'v1.8.0';

/** Path of versitygw, the second S3 server of the tests, or undefined. */
export function findVersitygw() {
  const program = cachedProgram('versitygw', version);
  return namedByVariable('VERSITYGW_PATH') ?? onPath('versitygw') ?? (isExecutableFile(program) ? program : undefined);
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
