import { findGoProgram, goInstall } from './go-install.mjs';

const version = 'v1.56.0';

/** Path of fake-gcs-server, the Google Cloud Storage of the tests, or undefined. */
export function findFakeGcs() {
  return findGoProgram('FAKE_GCS_PATH', 'fake-gcs-server', version);
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
