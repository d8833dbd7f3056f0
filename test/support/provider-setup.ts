import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { oneWord, type TranscriptionScript, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { TimeSkipping } from './time-skipping.ts';

export interface ProviderSetup {
  time: TimeSkipping;
  server: TranscriptionServer;
  folder: string;
}

/** Starts a test server of Temporal, a scripted provider and a folder for the tests of a file, and assigns them. */
export function useProviderSetup(
  assign: (setup: ProviderSetup) => void,
  { script = oneWord, skipsTime = true }: { script?: TranscriptionScript; skipsTime?: boolean } = {},
): void {
  let setup: ProviderSetup;
  beforeAll(async () => {
    const time = await TimeSkipping.start();
    if (!skipsTime) await time.stopSkipping();
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-provider-'));
    setup = { time, folder, server: await TranscriptionServer.start(script) };
    assign(setup);
  });
  afterAll(async () => {
    await setup.time.stop();
    await setup.server.stop();
    await rm(setup.folder, { recursive: true, force: true });
  });
}
