import type { z } from 'zod';
import type { AttemptContext, ChunkStep, ProbedSource, TimedResult } from '../../contract/activity.ts';
import { type Chunk, type ChunkRequest, ChunkResult, maxChunks } from '../../contract/http/chunk.ts';
import { planChunks } from '../../contract/chunk-plan.ts';
import { chunkContainer, containers } from '../../contract/formats.ts';
import type { Attempt } from './attempt.ts';
import { ContainerAnswer } from './errors.ts';
import { runAttempt } from './run-attempt.ts';
import { type Containers, runJob } from './run-container-job.ts';
import { probedSource } from './probe.ts';

export interface ChunkStepResult {
  totalChunks: number;
  totalDuration: number;
  /** `url` where we named the chunks ourselves; never presigned */
  chunks: (Chunk & { url?: string })[];
}

type ChunkPlace = { index: number; uploadUrl: string };

/** One attempt to cut a source, at the one container that this worker's slot stands for. */
export function chunkActivity(containers: Containers) {
  return async function chunk(step: ChunkStep, context: AttemptContext): Promise<TimedResult<ChunkStepResult>> {
    return runAttempt(context, containers.at, (attempt) => cut(step, attempt, containers));
  };
}

async function cut(step: ChunkStep, attempt: Attempt, containers: Containers): Promise<ChunkStepResult> {
  if (step.uploadUrlPrefix === undefined) {
    const { totalChunks, totalDuration, chunks } = await cutInto(step.chunks ?? [], step, attempt, containers);
    return { totalChunks, totalDuration, chunks };
  }
  const prefix = step.uploadUrlPrefix;
  const probed = await probedSource(step.sourceUrl, attempt, containers);
  const planned = planChunks(probed.durationSeconds, step.chunkDuration, step.overlapDuration).length;
  let places = chunkPlaces(prefix, planned, probed);
  let result: ChunkResult;
  try {
    result = await cutInto(places, step, attempt, containers);
  } catch (error) {
    const needed = neededOf(error);
    if (needed === undefined || needed === planned) throw error;
    // The container has read the source again and found one chunk more or less; it decides.
    places = chunkPlaces(prefix, needed, probed);
    result = await cutInto(places, step, attempt, containers);
  }
  const { totalChunks, totalDuration } = result;
  const chunks = result.chunks.map((chunk) => {
    const url = places[chunk.index]?.uploadUrl;
    return url === undefined ? chunk : { ...chunk, url };
  });
  return { totalChunks, totalDuration, chunks };
}

async function cutInto(
  places: readonly ChunkPlace[],
  step: ChunkStep,
  attempt: Attempt,
  containers: Containers,
): Promise<ChunkResult> {
  const result = await runJob(
    {
      path: '/chunk',
      mediaUrls: [step.sourceUrl, ...places.map((place) => place.uploadUrl)],
      body: async (urls): Promise<z.input<typeof ChunkRequest>> => ({
        sourceUrl: await urls.source(step.sourceUrl),
        sourceSha256: step.sourceSha256,
        chunkDuration: step.chunkDuration,
        overlapDuration: step.overlapDuration,
        chunks: await Promise.all(
          places.map(async ({ index, uploadUrl }) => ({ index, uploadUrl: await urls.upload(uploadUrl) })),
        ),
      }),
    },
    attempt,
    containers,
  );
  return ChunkResult.parse(result);
}

function chunkPlaces(prefix: string, count: number, probed: ProbedSource): ChunkPlace[] {
  const { extension } = containers[chunkContainer(probed.codec)];
  return Array.from({ length: count }, (_, index) => ({
    index,
    uploadUrl: `${prefix}chunk-${String(index).padStart(5, '0')}.${extension}`,
  }));
}

function neededOf(error: unknown): number | undefined {
  if (!(error instanceof ContainerAnswer) || error.facts.code !== 'chunk_count_mismatch') return undefined;
  const needed = error.facts.details?.['needed'];
  return typeof needed === 'number' && Number.isInteger(needed) && needed > 0 && needed <= maxChunks
    ? needed
    : undefined;
}
