import { expect, test } from 'vitest';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TestContainer } from '../../support/container.ts';
import { heldBytes } from '../../support/heap.ts';
import { withInspector } from '../../support/inspector.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const media = await stopAfterAll(MediaServer.start());
const container = await stopAfterAll(TestContainer.start(withInspector));

/** A body of some megabytes, with the longest URLs for many chunks. */
function largeBody(sourceUrl: string): string {
  const chunks = Array.from({ length: 500 }, (_, index) => ({
    index,
    uploadUrl: `${media.url}/${index}?`.padEnd(8000, 'x'),
  }));
  return JSON.stringify({ sourceUrl, chunks });
}

const mebibyte = 1024 ** 2;

/** Expects calls to leave nothing in memory after warm-up calls, which load code and fill pools. */
async function expectNoGrowth(count: number, send: () => Promise<void>): Promise<void> {
  for (let sent = 0; sent < 5; sent += 1) await send();
  const before = await heldBytes(container);
  for (let sent = 0; sent < count; sent += 1) await send();
  // The container may hold the last request for a moment after its answer.
  await expect.poll(async () => (await heldBytes(container)) - before).toBeLessThan(mebibyte);
}

test('releases the request and the failure of a job that has ended', async () => {
  const body = largeBody(container.fileUrl('missing'));
  await expectNoGrowth(5, async () => {
    expect((await container.call('POST', '/chunk', body)).status).toBe(404);
  });
});

test('releases a rejected request', async () => {
  const wrong = largeBody('no URL');
  const tooLarge = wrong.padEnd(17 * mebibyte);
  await expectNoGrowth(5, async () => {
    expect((await container.call('POST', '/chunk', wrong)).status).toBe(400);
    expect((await container.call('POST', '/chunk', tooLarge)).status).toBe(413);
  });
});

test('releases a request that finds the container busy', async () => {
  const body = largeBody(container.fileUrl('missing'));
  const jobId = await container.submit('/encode', {
    sourceUrl: media.on('GET /never', () => {}),
    outputs: [{ format: 'mp3_64', uploadUrl: container.fileUrl('out.mp3') }],
  });
  await expectNoGrowth(5, async () => {
    expect((await container.call('POST', '/chunk', body)).status).toBe(429);
  });
  await container.call('DELETE', `/jobs/${jobId}`);
});
