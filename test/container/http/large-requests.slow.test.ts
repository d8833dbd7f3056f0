import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { longestTurnDuring } from '../../support/event-loop.ts';
import { collectGarbage } from '../../support/heap.ts';
import { withInspector } from '../../support/inspector.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';
import { rowsExcept } from '../../support/rows.ts';

/** About 15 MB: 10,000 chunks with long signed URLs. */
function largeBody(sourceUrl: string): string {
  const chunks = Array.from({ length: 10_000 }, (_, index) => ({
    index,
    uploadUrl: `https://store.example.com/${index}?X-Amz-Signature=`.padEnd(1440, 'f'),
  }));
  return JSON.stringify({ sourceUrl, chunks });
}

/** Resident memory in MiB after a garbage collection, because an idle process makes none. */
async function residentMiB(container: TestContainer): Promise<number> {
  await collectGarbage(container);
  const status = await readFile(`/proc/${container.process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

const cases: [string, (container: TestContainer) => string, number][] = [
  ['without a source', (container) => container.fileUrl('missing'), 404],
  ['that are invalid', () => 'nowhere', 400],
];

test.each(rowsExcept(['that are invalid'], cases))(
  'blocks the event loop for less than 50 ms while ten requests of 15 MB %s arrive',
  async (_what, sourceUrl, status) => {
    const container = await stopAfterTest(TestContainer.start(withInspector));
    const body = largeBody(sourceUrl(container));
    const post = async () => (await container.call('POST', '/chunk', body)).status;
    const longestMs = await longestTurnDuring(container, async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, post));
      expect(new Set(answers)).toEqual(new Set([status, 429]));
    });
    expect(longestMs).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan(50);
  },
);

test.each(rowsExcept(['without a source'], cases))(
  'returns the memory of requests of 15 MB %s to the system',
  async (_what, sourceUrl, status) => {
    const container = await stopAfterTest(TestContainer.start(withInspector));
    const body = largeBody(sourceUrl(container));
    for (let sent = 0; sent < 10; sent += 1) {
      expect((await container.call('POST', '/chunk', body)).status).toBe(status);
    }
    // V8 keeps the pages of an ended thread for eight seconds.
    await expect.poll(() => residentMiB(container)).toBeLessThan(150);
  },
);
