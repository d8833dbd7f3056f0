import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { AttemptContext, ChunkActivityInput, Submission } from '../../contract/activity.ts';
import { chunkListName, chunkUrl, planChunks } from '../../contract/chunk-plan.ts';
import type { ChunkRequest } from '../../contract/http/chunk.ts';
import type { RequestUrls } from '../storage/presign.ts';
import type { Attempt } from './attempt.ts';
import { probeSource } from './probe.ts';
import { resolveHeaders } from './resolve-headers.ts';
import { runAttempt } from './run-attempt.ts';
import { type SubmitDependencies, submitJob } from './submit-job.ts';

type ChunkUpload = NonNullable<ChunkActivityInput['chunks']>[number];

/** Submits the cutting of a source to the one container that this worker's slot stands for. */
export function chunkActivity(dependencies: SubmitDependencies) {
  return async function chunk(input: ChunkActivityInput, context: AttemptContext): Promise<Submission> {
    const { uploadUrlPrefix, chunks: _, headers, ...rest } = input;
    return runAttempt(context, dependencies.clients, async (attempt) => {
      const uploads = await uploadsOf(input, attempt, dependencies);
      const body = async (urls: RequestUrls): Promise<z.input<typeof ChunkRequest>> => ({
        ...rest,
        sourceUrl: await urls.resolveSource(rest.sourceUrl),
        ...resolveHeaders(headers, dependencies.headerVariables),
        chunks: await mapInBatches(uploads, async ({ headers: uploadHeaders, ...upload }) => ({
          ...upload,
          uploadUrl: await urls.resolveUpload(upload.uploadUrl),
          ...resolveHeaders(uploadHeaders, dependencies.headerVariables),
        })),
        ...(uploadUrlPrefix !== undefined && {
          list: { uploadUrl: await urls.resolveUpload(`${uploadUrlPrefix}${chunkListName}`) },
        }),
      });
      return await submitJob({ kind: 'chunk', body }, attempt, dependencies);
    });
  };
}

/** Some tens of milliseconds of signing. */
const batchSize = 50;

/** Timers run between the batches: thousands of signatures in a row would keep the heartbeats waiting for seconds. */
async function mapInBatches<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let done = 0; done < items.length; done += batchSize) {
    results.push(...(await Promise.all(items.slice(done, done + batchSize).map(map))));
    await setImmediate();
  }
  return results;
}

/** The caller's, or as many as the source needs. */
async function uploadsOf(
  input: ChunkActivityInput,
  attempt: Attempt,
  dependencies: SubmitDependencies,
): Promise<readonly ChunkUpload[]> {
  const { uploadUrlPrefix, chunks = [], chunkDuration, overlapDuration } = input;
  if (uploadUrlPrefix === undefined) return chunks;
  const { durationSeconds, codec } = await probeSource(input, attempt, dependencies);
  const count = attempt.state.chunkCount ?? planChunks(durationSeconds, chunkDuration, overlapDuration).length;
  return Array.from({ length: count }, (_, index) => ({ index, uploadUrl: chunkUrl(uploadUrlPrefix, index, codec) }));
}
