import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import type { Environment } from '../../../support/process.ts';
import { useDelivery } from './use-delivery.ts';

const service = await useDelivery();
const { untilEnded } = service;

describe('ends of jobs in phase deliver', () => {
  let deliveries = 0;

  /** Starts a job with two files, of which one hangs in the upload of its last part. */
  async function hangingDelivery(container = service.container) {
    deliveries += 1;
    const path = `/never-ends-${deliveries}`;
    const request = service.request([
      { format: 'wav', deliver: 'on_demand' },
      { format: 'wav', channels: 1, deliver: 'on_demand' },
    ]);
    const jobId = await container.submit('/encode', request);
    await container.untilJob(jobId, 'phase deliver', ({ phase }) => phase === 'deliver');
    const store = service.partStore(3);
    let isHung = false;
    const hanging = service.media.on(`PUT ${path}`, () => {
      isHung = true;
    });
    const urls = [{ output: 0, name: '', ...store.target, partUrls: store.target.partUrls.with(2, hanging) }];
    expect((await container.call('POST', `/jobs/${jobId}/upload-urls`, { urls })).status).toBe(202);
    await container.process.until('hanging upload', () => isHung);
    return { jobId, store };
  }

  test('frees the slot of a cancelled delivery at once and leaves no parts', async () => {
    const { jobId, store } = await hangingDelivery();
    expect((await service.container.call('DELETE', `/jobs/${jobId}`)).body.state).toBe('cancelled');
    expect((await service.container.health()).activeJobs).toBe(0);
    expect(store.aborts()).toBe(1);
    expect(await service.container.jobFolders()).toEqual([]);
  });

  test('cancels the delivery if the client of a held request disconnects', async () => {
    const gone = new AbortController();
    const held = fetch(`${service.container.url}/encode`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(service.request()),
      signal: gone.signal,
    }).catch(() => 'gone');
    const running = async () => (await service.container.call('GET', '/jobs?state=running')).body.jobs[0];
    await expect.poll(async () => (await running())?.phase).toBe('deliver');
    const { jobId } = await running();
    gone.abort();
    expect(await held).toBe('gone');
    expect((await untilEnded(jobId)).state).toBe('cancelled');
  });

  // These tests mostly wait.
  describe.concurrent('in separate containers', () => {
    async function inContainer(
      environment: Environment,
      use: (container: TestContainer) => Promise<void>,
    ): Promise<void> {
      const container = await TestContainer.start(environment);
      try {
        await use(container);
      } finally {
        await container.stop();
      }
    }

    test('frees the slot though the store does not answer the abort, and keeps retrying the abort', async () => {
      await inContainer({}, async (container) => {
        const { jobId, store } = await hangingDelivery(container);
        let aborts = 0;
        service.media.on(`DELETE ${new URL(store.target.abortUrl).pathname}`, (_request, response) => {
          aborts += 1;
          if (aborts > 2) response.writeHead(204).end();
          else if (aborts === 2) response.writeHead(503).end();
        });
        expect((await container.call('DELETE', `/jobs/${jobId}`)).body.state).toBe('cancelled');
        // The first abort is still waiting for its answer.
        await vi.waitUntil(() => aborts === 1, { timeout: 120_000 });
        await container.process.until('third abort', () => aborts === 3);
      });
    });

    test('fails with upload_urls_missing if no upload URL arrives in time', async () => {
      await inContainer({ UPLOAD_URLS_TIMEOUT_SECONDS: '1' }, async (container) => {
        const held = await container.call('POST', '/encode', service.request());
        expect(held).toMatchObject({ status: 504, body: { code: 'upload_urls_missing' } });
      });
    });

    test('does not time out a missing upload URL while another file uploads', async () => {
      await inContainer({ UPLOAD_URLS_TIMEOUT_SECONDS: '4' }, async (container) => {
        const { jobId, store } = await hangingDelivery(container);
        await delay(4_500);
        expect((await container.job(jobId)).state).toBe('running');
        await container.call('DELETE', `/jobs/${jobId}`);
        // The job does not wait for a store that hangs.
        await vi.waitUntil(() => store.aborts() === 1, { timeout: 120_000 });
      });
    });

    test.each([
      ['the time limit of jobs', { JOB_TIMEOUT_SECONDS: '10' }, 'timeout'],
      ['a shutdown', { DRAIN_TIMEOUT_SECONDS: '0' }, 'draining'],
    ])('leaves no parts if a delivery ends by %s', async (_what, environment, code) => {
      await inContainer(environment, async (container) => {
        const { jobId, store } = await hangingDelivery(container);
        if (code === 'draining') await container.process.stop('SIGTERM');
        else expect(await container.untilEnded(jobId)).toMatchObject({ state: 'failed', error: { code } });
        await vi.waitUntil(() => store.aborts() === 1, { timeout: 120_000 });
        await container.process.untilLogged(/^\[JOB_END\] Failed/);
      });
    });
  });
});
