/**
 * Does the container return the memory of large requests? The bench sends requests of 15 MB, 100 whose source is missing
 * and 1,000 that are invalid, and reports the container's resident memory (VmRSS, Linux).
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { TestContainer } from '../test/support/container.ts';
import { inUnit, report } from './report.ts';

/** V8 keeps the pages of an ended thread for eight seconds. */
const idleMs = 15_000;

async function residentMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function measure(
  what: string,
  sourceUrlOf: (container: TestContainer) => string,
  count: number,
  expected: number,
): Promise<void> {
  const container = await TestContainer.start();
  const resident = async () => inUnit('MiB', await residentMebibytes(container.process.pid));
  try {
    const before = await resident();
    const chunks = Array.from({ length: 10_000 }, (_, index) => ({
      index,
      uploadUrl: `https://store.example.com/${index}?X-Amz-Signature=`.padEnd(1440, 'f'),
    }));
    const body = JSON.stringify({ sourceUrl: sourceUrlOf(container), chunks });
    for (let sent = 0; sent < count; sent += 1) {
      const { status } = await container.call('POST', '/chunk', body);
      if (status !== expected) throw new Error(`status ${status}: ${container.process.output}`);
    }
    const during = await resident();
    await delay(idleMs);
    report('large-requests', `${count} ${what}`, { before, 'at the end': during, later: await resident() });
  } finally {
    await container.stop();
  }
}

await measure('requests without a source', (container) => container.fileUrl('missing'), 100, 404);
await measure('invalid requests', () => 'nowhere', 1000, 400);
