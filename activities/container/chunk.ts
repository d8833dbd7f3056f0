import type { z } from 'zod';
import type { AttemptContext, ChunkActivityInput, ProbedSource, TimedResult } from '../../contract/activity.ts';
import { planChunks } from '../../contract/chunk-plan.ts';
import { chunkContainer, containers } from '../../contract/formats.ts';
import { type Chunk, type ChunkRequest, ChunkResult, maxChunks } from '../../contract/http/chunk.ts';
import type { Attempt } from './attempt.ts';
import { ContainerAnswer } from './errors.ts';
import { probeSource } from './probe.ts';
import { resolveHeaders } from './resolve-headers.ts';
import { runAttempt } from './run-attempt.ts';
import { type AttemptDependencies, runContainerJob } from './run-container-job.ts';

export interface ChunkActivityResult {
  totalChunks: number;
  totalDuration: number;
  /** `url` where we named the chunks ourselves; never presigned */
  chunks: (Chunk & { url?: string })[];
}

type ChunkUpload = NonNullable<ChunkActivityInput['chunks']>[number];

/** One attempt to cut a source, at the one container that this worker's slot stands for. */
export function chunkActivity(dependencies: AttemptDependencies) {
  return async function chunk(
    input: ChunkActivityInput,
    context: AttemptContext,
  ): Promise<TimedResult<ChunkActivityResult>> {
    return runAttempt(context, dependencies.at, (attempt) => cut(input, attempt, dependencies));
  };
}

async function cut(
  { uploadUrlPrefix, chunks: given = [], ...request }: ChunkActivityInput,
  attempt: Attempt,
  dependencies: AttemptDependencies,
): Promise<ChunkActivityResult> {
  const cutInto = (uploads: readonly ChunkUpload[]) => cutAtContainer(request, uploads, attempt, dependencies);
  if (uploadUrlPrefix === undefined) {
    const { totalChunks, totalDuration, chunks } = await cutInto(given);
    return { totalChunks, totalDuration, chunks };
  }
  const probed = await probeSource(request, attempt, dependencies);
  const planned = planChunks(probed.durationSeconds, request.chunkDuration, request.overlapDuration).length;
  let uploads = nameUploads(uploadUrlPrefix, planned, probed);
  let result: ChunkResult;
  try {
    result = await cutInto(uploads);
  } catch (error) {
    const needed = neededChunks(error);
    if (needed === undefined || needed === planned) throw error;
    // The container has read the source anew and counts one chunk more or less: its count holds.
    uploads = nameUploads(uploadUrlPrefix, needed, probed);
    result = await cutInto(uploads);
  }
  const { totalChunks, totalDuration } = result;
  const chunks = result.chunks.map((chunk) => {
    const url = uploads[chunk.index]?.uploadUrl;
    return url === undefined ? chunk : { ...chunk, url };
  });
  return { totalChunks, totalDuration, chunks };
}

async function cutAtContainer(
  { headers, ...request }: Omit<ChunkActivityInput, 'uploadUrlPrefix' | 'chunks'>,
  uploads: readonly ChunkUpload[],
  attempt: Attempt,
  dependencies: AttemptDependencies,
): Promise<ChunkResult> {
  const result = await runContainerJob(
    {
      kind: 'chunk',
      mediaUrls: [request.sourceUrl, ...uploads.map((upload) => upload.uploadUrl)],
      body: async (urls): Promise<z.input<typeof ChunkRequest>> => ({
        ...request,
        sourceUrl: await urls.resolveSource(request.sourceUrl),
        ...resolveHeaders(headers, dependencies.headerVariables),
        chunks: await Promise.all(
          uploads.map(async ({ headers: uploadHeaders, ...upload }) => ({
            ...upload,
            uploadUrl: await urls.resolveUpload(upload.uploadUrl),
            ...resolveHeaders(uploadHeaders, dependencies.headerVariables),
          })),
        ),
      }),
      targetOf: ({ output }) => uploads[output]?.uploadUrl ?? '',
    },
    attempt,
    dependencies,
  );
  return ChunkResult.parse(result);
}

function nameUploads(prefix: string, count: number, probed: ProbedSource): ChunkUpload[] {
  const { extension } = containers[chunkContainer(probed.codec)];
  return Array.from({ length: count }, (_, index) => ({
    index,
    uploadUrl: `${prefix}chunk-${String(index).padStart(5, '0')}.${extension}`,
  }));
}

function neededChunks(error: unknown): number | undefined {
  if (!(error instanceof ContainerAnswer) || error.facts.code !== 'chunk_count_mismatch') return undefined;
  const needed = error.facts.details?.['needed'];
  return typeof needed === 'number' && Number.isInteger(needed) && needed > 0 && needed <= maxChunks
    ? needed
    : undefined;
}
