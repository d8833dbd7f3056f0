import { type Inspect, inspectProcess } from './inspector.ts';
import type { TestProcess } from './process.ts';

interface Memory {
  heapUsed: number;
  external: number;
}

/** Bytes in V8's heap and in buffers after a full garbage collection. */
export async function heldBytes(process: { process: TestProcess }): Promise<number> {
  return await inspectProcess(process, async (inspect) => {
    await collect(inspect);
    const { result } = await inspect('Runtime.evaluate', { expression: 'JSON.stringify(process.memoryUsage())' });
    const { heapUsed, external } = JSON.parse(result.value) as Memory;
    return heapUsed + external;
  });
}

/** Collects all garbage of the main thread of a process. */
export async function collectGarbage(process: { process: TestProcess }): Promise<void> {
  await inspectProcess(process, collect);
}

async function collect(inspect: Inspect): Promise<void> {
  // The second round collects what finalizers of the first have released.
  for (let round = 0; round < 2; round += 1) await inspect('HeapProfiler.collectGarbage');
}
