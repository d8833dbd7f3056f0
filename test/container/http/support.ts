import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, afterEach } from 'vitest';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TestContainer, type Answer } from '../../support/container.ts';
import { expectNothingLeaked } from '../../support/leaks.ts';
import { speechWav } from '../../support/media.ts';
import type { Environment } from '../../support/process.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

/** The real container and an origin of media for the tests of one file. */
interface Service {
  readonly container: TestContainer;
  readonly media: MediaServer;
  /** A source that never answers: its job runs until it is cancelled. */
  readonly never: string;
  /** A source of 15 seconds. */
  speech(): string;
  out(name: string): string;
  encodeOf(sourceUrl: string, name: string, from?: TestContainer): object & { sourceUrl: string };
  post(path: string, body: unknown, headers?: Environment): Promise<Answer>;
  /** Waits for a running job, and returns its id. */
  activeJob(from?: TestContainer): Promise<string>;
  /** An encode whose client waits until `drop`. */
  heldRequest(body: unknown, headers: Environment): { answer: Promise<unknown>; drop(): void };
}

/** Starts the container and the origin, cancels the jobs that a test leaves, and checks that nothing secret was logged. */
export async function useService(): Promise<Service> {
  afterAll(() => expectNothingLeaked(container));
  const media = await stopAfterAll(MediaServer.start());
  const never = media.on('GET /never', () => {});
  const container = await stopAfterAll(TestContainer.start());
  await copyFile(speechWav, join(container.mediaRoot, 'speech.wav'));

  // A failed test must not leave its job to the next test.
  afterEach(async () => {
    for (const jobId of (await container.health()).jobs) await container.call('DELETE', `/jobs/${jobId}`);
  });

  return {
    container,
    media,
    never,
    speech: () => container.fileUrl('speech.wav'),
    out: (name) => container.fileUrl(`out/${name}`),
    encodeOf: (sourceUrl, name, from = container) => ({
      sourceUrl,
      outputs: [{ format: 'mp3_64', uploadUrl: from.fileUrl(`out/${name}`) }],
    }),
    post: (path, body, headers = {}) => container.call('POST', path, body, headers),
    activeJob: async (from = container) =>
      await from.process.until('active job', async () => (await from.health()).jobs[0]),
    heldRequest(body, headers) {
      const abort = new AbortController();
      const answer = request(`${container.url}/encode`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: abort.signal,
      }).then(
        async (response) => ({ status: response.statusCode, body: await response.body.json() }),
        () => 'dropped' as const,
      );
      return { answer, drop: () => abort.abort() };
    },
  };
}
