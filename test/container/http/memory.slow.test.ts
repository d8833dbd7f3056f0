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

/** Growth of memory after warm-up calls, which load code and fill pools. */
async function growthOver(count: number, send: () => Promise<void>): Promise<number> {
  for (let sent = 0; sent < 5; sent += 1) await send();
  const before = await heldBytes(container);
  for (let sent = 0; sent < count; sent += 1) await send();
  return (await heldBytes(container)) - before;
}

const mebibyte = 1024 ** 2;

test('releases the request and the failure of a job that has ended', async () => {
  const body = largeBody(container.fileUrl('missing'));
  const growth = await growthOver(20, async () => {
    expect((await container.call('POST', '/chunk', body)).status).toBe(404);
  });
  expect(growth).toBeLessThan(mebibyte);
});

test('releases a rejected request', async () => {
  const wrong = largeBody('no URL');
  const tooLarge = wrong.padEnd(17 * mebibyte);
  const growth = await growthOver(10, async () => {
    expect((await container.call('POST', '/chunk', wrong)).status).toBe(400);
    expect((await container.call('POST', '/chunk', tooLarge)).status).toBe(413);
  });
  expect(growth).toBeLessThan(mebibyte);
});

test('releases a request that finds the container busy', async () => {
  const body = largeBody(container.fileUrl('missing'));
  const jobId = await container.submit('/encode', {
    sourceUrl: media.on('GET /never', () => {}),
    outputs: [{ format: 'mp3_64', uploadUrl: container.fileUrl('out.mp3') }],
  });
  const growth = await growthOver(10, async () => {
    expect((await container.call('POST', '/chunk', body)).status).toBe(429);
  });
  expect(growth).toBeLessThan(mebibyte);
  await container.call('DELETE', `/jobs/${jobId}`);
});
