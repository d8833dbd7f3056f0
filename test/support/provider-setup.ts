import { oneWord, type TranscriptionScript, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { TimeSkipping } from './time-skipping.ts';
import { useFolder } from './folder.ts';
import { stopAfterAll } from './stop-after-all.ts';

interface ProviderSetup {
  time: TimeSkipping;
  server: TranscriptionServer;
  folder: string;
}

/** Starts a test server of Temporal, a scripted provider and a folder for the tests of a file. */
export async function useProviderSetup({
  script = oneWord,
  skipsTime = true,
}: { script?: TranscriptionScript; skipsTime?: boolean } = {}): Promise<ProviderSetup> {
  const folder = useFolder();
  const server = await stopAfterAll(TranscriptionServer.start(script));
  const time = await stopAfterAll(TimeSkipping.start());
  if (!skipsTime) await time.stopSkipping();
  return { time, server, folder };
}
