import { cachedProgram, goInstall } from './go-install.mjs';
import { isExecutableFile, namedByVariable, onPath } from './places.mjs';

const version = 'v1.56.0';

/** Path of fake-gcs-server, the Google Cloud Storage of the tests, or undefined. */
export function findFakeGcs() {
  const program = cachedProgram('fake-gcs-server', version);
  return (
    namedByVariable('FAKE_GCS_PATH') ?? onPath('fake-gcs-server') ?? (isExecutableFile(program) ? program : undefined)
  );
}

export async function buildFakeGcs() {
  return await goInstall({
    name: 'fake-gcs-server',
    asksVersion: ['-help'],
    module: 'github.com/fsouza/fake-gcs-server',
    version,
    title: 'Building fake-gcs-server, the Google Cloud Storage of the tests, with Go',
    expected: 'about 2 minutes, once on this machine',
    remedy: 'Install fake-gcs-server so that it is on PATH, or name it in FAKE_GCS_PATH, and run the command again.',
  });
}
