import { openStores } from '../../../stores/backends.ts';
import { FaultyLine } from '../../fixtures/faulty-line.ts';
import { googleKeyFile, startFakeGcs } from '../../support/google.ts';
import { startS3, withoutKeys } from '../../support/s3.ts';
import { keepsPromises } from './promises.ts';
import type { ServedStore } from './suite.ts';

/** The server verifies no signatures; `test/stores/google` compares them with those of Google's library. */
async function serve(server: { endpoint: string; stop(): Promise<void> }): Promise<ServedStore> {
  const key = await googleKeyFile();
  const line = await FaultyLine.start(server.endpoint);
  return {
    stores: openStores({ GOOGLE_APPLICATION_CREDENTIALS: key.path, STORAGE_EMULATOR_HOST: line.url }, 600),
    urlOf: (name) => `gs://media/${name}`,
    line,
    async stop() {
      await line.stop();
      await server.stop();
      await key.remove();
    },
  };
}

keepsPromises('Google Cloud Storage', async () => await serve(await startFakeGcs()), {
  http: true,
  credentials: false,
});

// No emulator has the multipart uploads of Google's XML API. Their requests are those of S3, so an S3 server takes them.
keepsPromises(
  'Google Cloud Storage at a server with uploads in parts',
  async () => {
    return await serve(await startS3(['media'], withoutKeys));
  },
  { http: false, credentials: false, partBytes: 1024 ** 2, mixesWriters: true, listsWrongPages: true },
);
