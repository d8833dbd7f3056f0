import { setTimeout as delay } from 'node:timers/promises';
import type { JobView } from '../contract/http/job.ts';
import type { DescribedOutput } from '../contract/http/output.ts';
import type { TestContainer } from '../test/support/container.ts';

/** Waits without a limit. Each request costs the container measured time, so it asks no more often. */
async function untilView(
  container: TestContainer,
  jobId: string,
  isThere: (job: JobView) => boolean,
): Promise<JobView> {
  for (;;) {
    const job = await container.job(jobId);
    if (isThere(job)) return job;
    await delay(100);
  }
}

/** Encodes a package, and stores its files in the folder `package` of MEDIA_ROOT. */
export async function encodePackage(
  container: TestContainer,
  sourceUrl: string,
  output: DescribedOutput,
): Promise<void> {
  const outputs = [{ ...output, deliver: 'on_demand' }];
  const jobId = await container.submit('/encode', { sourceUrl, outputs });
  const running = await untilView(container, jobId, (job) => job.state !== 'running' || (job.wanted ?? []).length > 0);
  const wanted = running.state === 'running' ? (running.wanted ?? []) : [];
  const urls = wanted.map(({ name }) => ({ output: 0, name, url: container.fileUrl(`package/${name}`) }));
  await container.call('POST', `/jobs/${jobId}/upload-urls`, { urls });
  const ended = await untilView(container, jobId, ({ state }) => state !== 'running');
  if (ended.state !== 'succeeded') throw new Error(JSON.stringify(ended));
}
