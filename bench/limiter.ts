/**
 * What does a limiter cost? Runs on two workers take permits and return them at once, without a call in between. The
 * bench reports how many permits a second one limiter grants and the delay of a permit, by the number of simultaneous
 * requests and of runs. `wide`: no limit is ever met, so the delay is all that the limiter adds to a chunk. `5 at
 * once`: all other requests queue at the limiter, so the permits a second show the cost of the queue.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultEnvironment } from '../contract/defaults.ts';
import { defaultTaskQueue } from '../contract/task-queues.ts';
import { Provider, type ProviderPolicy } from '../contract/provider.ts';
import { TestStack } from '../test/support/stack.ts';
import { bundleWorkflows, writeWorkflowBundle } from '../worker/workflow-bundle.ts';
import { measureState } from './limiter-state.ts';
import type { PermitTimes, takePermits as driver } from './limiter-driver.ts';
import { median } from './median.ts';
import { percentile } from './percentile.ts';
import { inUnit, report } from './report.ts';

const wide = { maxConcurrent: 1_000, requestsPerMinute: 1_000_000, requestsPerHour: 10_000_000, burstLimit: 1_000_000 };

/** `turns`: permits that each waiting lane takes, one after the other. */
const kinds = [
  { name: 'wide', limits: wide, turns: 6 },
  { name: '5 at once', limits: { ...wide, maxConcurrent: 5 }, turns: 1 },
];
const waitingAtOnce = [10, 100, 1_000];
const runCounts = [1, 10];

/** Each name has a limiter of its own in the workers' environment. */
function policy(name: string, limits: Partial<ProviderPolicy['limits']>): ProviderPolicy {
  const provider = Provider.parse({ kind: 'http', url: 'http://127.0.0.1:9/', limits });
  const { timeoutSeconds, backoff } = provider;
  return { key: `bench/${name}`, environment: defaultEnvironment, timeoutSeconds, limits: provider.limits, backoff };
}

measureState();
const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-limiter-'));
const bundle = join(folder, 'workflows.js');
await writeWorkflowBundle(bundle, await bundleWorkflows(fileURLToPath(new URL('limiter-driver.ts', import.meta.url))));
const stack = await TestStack.start({ workerEnvironment: { WORKFLOW_BUNDLE: bundle } });

async function takePermits(provider: ProviderPolicy, lanes: number, turns: number): Promise<PermitTimes[]> {
  return await stack.client.workflow.execute<typeof driver>('takePermits', {
    workflowId: randomUUID(),
    taskQueue: defaultTaskQueue,
    args: [provider, lanes, turns],
  });
}

try {
  await stack.addWorker();
  for (const { name, limits, turns } of kinds) {
    for (const waiting of waitingAtOnce) {
      for (const runs of runCounts) {
        const provider = policy(`${waiting}-${runs}-${name.replaceAll(' ', '-')}`, limits);
        // All runs share one start of a limiter.
        await takePermits(provider, 1, 1);
        const taken = await Promise.all(
          Array.from({ length: runs }, () => takePermits(provider, waiting / runs, turns)),
        );
        const times = taken.flat();
        const firstMs = Math.min(...times.map(([askedAtMs]) => askedAtMs));
        const lastMs = Math.max(...times.map(([, grantedAtMs]) => grantedAtMs));
        const delaysMs = times.map(([askedAtMs, grantedAtMs]) => grantedAtMs - askedAtMs);
        const ofRuns = runs === 1 ? '' : ` of ${runs} runs`;
        report('limiter', `${waiting.toLocaleString('en-US')} chunks${ofRuns}${name === 'wide' ? '' : `, ${name}`}`, {
          'added to a chunk': inUnit('s', median(delaysMs) / 1000),
          '99th percentile': inUnit('s', percentile(delaysMs, 0.99) / 1000),
          rate: inUnit('per second', (1000 * times.length) / (lastMs - firstMs)),
        });
      }
    }
  }
} finally {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
}
