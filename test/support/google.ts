import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { googleKey } from './google-key.ts';
import { freePort, isOpen } from './ports.ts';
import { TestProcess, testEnvironment } from './process.ts';
import { toolPath } from './tools.ts';

const fakeGcsPath = await toolPath('FAKE_GCS_PATH');

/** Writes the key of a service account to a file. */
export async function googleKeyFile(): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-google-'));
  const path = join(folder, 'key.json');
  await writeFile(path, googleKey().file);
  return { path, remove: () => rm(folder, { recursive: true }) };
}

export interface FakeGcs {
  /** `http://127.0.0.1:…` */
  endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts an emulator of Google Cloud Storage with the bucket `media`. It verifies no signatures, and has no multipart
 * uploads of the XML API.
 */
export async function startFakeGcs(): Promise<FakeGcs> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-gcs-'));
  // The emulator takes the folders of `-data` for buckets.
  await mkdir(join(folder, 'media'));
  const port = await freePort();
  const server = new TestProcess(
    'fake-gcs-server',
    fakeGcsPath,
    [
      ...['-scheme', 'http', '-host', '127.0.0.1', '-port', `${port}`, '-public-host', '127.0.0.1'],
      ...['-backend', 'memory', '-data', folder, '-log-level', 'warn'],
    ],
    testEnvironment(),
  );
  await server.until('open port', () => isOpen(port));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      await server.stop('SIGTERM', 5_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
