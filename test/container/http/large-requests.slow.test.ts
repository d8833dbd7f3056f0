import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { fork } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';

let container: TestContainer;

beforeAll(async () => {
  container = await TestContainer.start();
});
afterAll(async () => await container.stop());

/** About 15 MB: 10,000 chunks with long signed URLs. */
function largeBody(sourceUrl: string): string {
  const chunks = Array.from({ length: 10_000 }, (_, index) => ({
    index,
    uploadUrl: `https://store.example.com/${index}?X-Amz-Signature=`.padEnd(1440, 'f'),
  }));
  return JSON.stringify({ sourceUrl, chunks });
}

/** Resident memory in MiB. */
async function residentMiB({ process }: TestContainer): Promise<number> {
  const status = await readFile(`/proc/${process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

/** Times of `GET /health` in milliseconds while `work` runs, measured by another process. */
async function timesOfHealth(work: () => Promise<void>): Promise<number[]> {
  const prober = fork(fileURLToPath(new URL('../../fixtures/health-prober.ts', import.meta.url)), [container.url]);
  const message = () => new Promise<unknown>((resolve) => void prober.once('message', resolve));
  await message();
  await work();
  const times = message();
  prober.send('stop');
  return (await times) as number[];
}

// A loaded machine may delay one round, but a blocked event loop delays all.
test.each([
  ['without a source', () => largeBody(container.fileUrl('missing')), [404, 429]],
  ['that are invalid', () => largeBody('nowhere'), [400, 429]],
])(
  'answers /health within 50 ms while ten requests of 15 MB %s arrive',
  { retry: 4 },
  async (_what, body, statuses) => {
    const text = body();
    const post = async () => (await container.call('POST', '/chunk', text)).status;
    const times = await timesOfHealth(async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, post));
      expect(new Set(answers)).toEqual(new Set(statuses));
    });
    const sorted = times.toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(50);
  },
);

test('releases the memory of invalid requests', async () => {
  const own = await TestContainer.start();
  const text = largeBody('nowhere');
  for (let refusal = 0; refusal < 20; refusal += 1) {
    expect(await own.call('POST', '/chunk', text)).toMatchObject({ status: 400 });
  }
  await expect.poll(async () => await residentMiB(own)).toBeLessThan(200);
  await own.stop();
});
