import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach } from 'vitest';
import type { JobView } from '../../../../contract/http/job.ts';
import type { WantedFile } from '../../../../contract/http/upload-urls.ts';
import { MediaServer } from '../../../fixtures/media-server.ts';
import { TestContainer, type Answer } from '../../../support/container.ts';
import { expectNothingLeaked } from '../../../support/leaks.ts';
import { longWav } from '../../../support/media.ts';
import type { Environment } from '../../../support/process.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

export const partSize = 5 * 1024 ** 2;

/** URLs of one upload in parts, and what has arrived there. */
export interface PartStore {
  target: { partUrls: string[]; partSize: number; completeUrl: string; abortUrl: string };
  parts: Map<number, Buffer>;
  completions: string[];
  aborts(): number;
}

export function md5Of(bytes: Buffer, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHash('md5').update(bytes).digest(encoding);
}

/** A container, a scriptable store, and a source that uploads in three parts. */
export async function useDelivery() {
  afterAll(() => expectNothingLeaked(container));
  const media = await stopAfterAll(MediaServer.start());
  const container = await stopAfterAll(TestContainer.start());
  const sourceUrl = media.serve('/in.wav', await longWav({ seconds: 70, channels: 2 }));
  let stores = 0;

  afterEach(async () => {
    for (const jobId of (await container.health()).jobs) await container.call('DELETE', `/jobs/${jobId}`);
  });

  const request = (outputs: object[] = [{ format: 'wav', deliver: 'on_demand' }]) => ({ sourceUrl, outputs });
  const wantedOf = async (jobId: string): Promise<WantedFile[]> => {
    const job = await container.job(jobId);
    return job.state === 'running' ? (job.wanted ?? []) : [];
  };

  return {
    container,
    media,
    request,
    wantedOf,
    async submit(outputs?: object[], headers?: Environment): Promise<string> {
      return await container.submit('/encode', request(outputs), headers);
    },
    async untilWanted(jobId: string, count = 1): Promise<WantedFile[]> {
      await container.untilJob(jobId, 'wanted files', (job) => {
        if (job.state !== 'running') throw new Error(`the job ended: ${JSON.stringify(job)}`);
        return job.wanted?.length === count;
      });
      return await wantedOf(jobId);
    },
    untilEnded: async (jobId: string): Promise<JobView> => await container.untilEnded(jobId),
    give: async (jobId: string, ...urls: object[]): Promise<Answer> =>
      await container.call('POST', `/jobs/${jobId}/upload-urls`, {
        urls: urls.map((url) => ({ output: 0, name: '', ...url })),
      }),
    /** A store that accepts this many parts. */
    partStore(count: number): PartStore {
      stores += 1;
      const path = `/upload-${stores}`;
      const parts = new Map<number, Buffer>();
      const completions: string[] = [];
      const partUrls = Array.from({ length: count }, (_, index) =>
        media.on(`PUT ${path}/part-${index}`, async (incoming, response) => {
          const body = await buffer(incoming).catch(() => undefined);
          // The connection was reset.
          if (body === undefined) return;
          if (incoming.headers['content-md5'] !== md5Of(body, 'base64')) {
            response.writeHead(400).end('<Error><Code>BadDigest</Code></Error>');
            return;
          }
          parts.set(index, body);
          response.writeHead(200, { etag: `"${md5Of(body)}"` }).end();
        }),
      );
      const completeUrl = media.on(`POST ${path}`, async (incoming, response) => {
        let body = '';
        for await (const chunk of incoming) body += String(chunk);
        completions.push(body);
        response.end('<CompleteMultipartUploadResult/>');
      });
      const abortUrl = media.on(`DELETE ${path}`, (_incoming, response) => void response.writeHead(204).end());
      return {
        target: { partUrls, partSize, completeUrl: `${completeUrl}?uploadId=1`, abortUrl: `${abortUrl}?uploadId=1` },
        parts,
        completions,
        aborts: () => media.count(`DELETE ${path}`),
      };
    },
  };
}
