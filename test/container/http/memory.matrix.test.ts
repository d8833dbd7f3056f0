import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { heldBytes } from '../../support/heap.ts';
import { withInspector } from '../../support/inspector.ts';
import { speechWav } from '../../support/media.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const jobs = 10_000;
const largeEvery = 100;
const successEvery = 200;

/** Bytes of noise in the heap with 1,000 remembered jobs and warm code. */
const mostGrowth = 3 * 1024 ** 2;

test(
  'keeps memory flat over 10,000 jobs of any size, in a heap of 100 MB',
  async () => {
    const container = await stopAfterTest(
      TestContainer.start({
        NODE_OPTIONS: `${withInspector.NODE_OPTIONS} --max-old-space-size=100`,
      }),
    );
    await copyFile(speechWav, join(container.mediaRoot, 'speech.wav'));
    const missing = container.fileUrl('missing');
    const chunks = (count: number, length: number) =>
      Array.from({ length: count }, (_, index) => ({
        index,
        uploadUrl: `http://127.0.0.1:9/${index}?`.padEnd(length, 'x'),
      }));
    // Nothing is uploaded: the source is missing.
    const large = JSON.stringify({ sourceUrl: missing, chunks: chunks(500, 8000) });
    const small = JSON.stringify({ sourceUrl: missing, chunks: chunks(1, 200) });
    const succeeding = JSON.stringify({
      sourceUrl: container.fileUrl('speech.wav'),
      chunks: [{ index: 0, uploadUrl: container.fileUrl('out') }],
    });

    const held: number[] = [];
    for (let job = 0; job < jobs; job += 1) {
      const isLarge = job % largeEvery === 0;
      const succeeds = job % successEvery === 1;
      const body = isLarge ? large : succeeds ? succeeding : small;
      const key = { 'idempotency-key': `${job}-`.padEnd(255, 'k') };
      expect((await container.call('POST', '/chunk', body, key)).status).toBe(succeeds ? 200 : 404);
      // No more than 1,000 jobs are remembered.
      if (job % 2000 === 1999) held.push(await heldBytes(container));
    }
    const [first = 0, ...later] = held;
    for (const bytes of later) expect(bytes - first).toBeLessThan(mostGrowth);
    console.log(`held after each 2,000 jobs: ${held.map((bytes) => (bytes / 1024 ** 2).toFixed(1)).join(', ')} MiB`);
  },
  30 * 60_000,
);
