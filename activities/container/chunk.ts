import type { z } from 'zod';
import type { AttemptContext, ChunkActivityInput, Submission } from '../../contract/activity.ts';
import { failureType } from '../../contract/error-codes.ts';
import { ChunkListAbout } from '../../contract/chunk-list.ts';
import { chunkListName, chunkUrl, countChunks, maxChunks } from '../../contract/chunk-plan.ts';
import type { ChunkRequest } from '../../contract/http/chunk.ts';
import { parseIndexes } from '../../contract/index-ranges.ts';
import { findChunkList } from '../chunk-list.ts';
import { finalFailure } from '../final-failure.ts';
import { mapInBatches } from '../in-batches.ts';
import type { RequestUrls } from '../storage/request-urls.ts';
import type { Storage } from '../storage/storage.ts';
import type { Attempt } from './attempt.ts';
import { isKnownSource } from './known-source.ts';
import { probeSource } from './probe.ts';
import { resolveHeaders } from './resolve-headers.ts';
import { runAttempt } from './run-attempt.ts';
import { type SubmitDependencies, submitJob } from './submit-job.ts';

interface ChunkDependencies extends SubmitDependencies {
  storage: Storage;
}

type OwnUpload = NonNullable<ChunkActivityInput['chunks']>[number];
type KeptUpload = Required<Pick<ChunkRequest['chunks'][number], 'index' | 'kept'>>;
type ChunkUpload = OwnUpload | KeptUpload;

export function chunkActivity(dependencies: ChunkDependencies) {
  return async function chunk(input: ChunkActivityInput, context: AttemptContext): Promise<Submission> {
    const { uploadUrlPrefix, chunks: _, headers, about, keep, originalUrl, ...rest } = input;
    const { chunkDuration, overlapDuration } = input;
    const secrets = { ...dependencies, requester: context.requester };
    return runAttempt(context, dependencies.clients, async (attempt) => {
      const kept = await keptUploads(input, attempt, dependencies);
      if (kept !== undefined && keep?.source !== undefined && kept.every((upload) => 'kept' in upload)) {
        return { kind: 'finished', state: attempt.state, result: { unchanged: true } };
      }
      const uploads = kept ?? (await uploadsOf(input, attempt, dependencies));
      const { chunkCount, probed } = attempt.state;
      const codec = probed?.codec;
      const body = async (urls: RequestUrls): Promise<z.input<typeof ChunkRequest>> => ({
        ...rest,
        sourceUrl: await urls.resolveSource(rest.sourceUrl),
        ...(originalUrl !== undefined && { originalUrl: await urls.resolveSource(originalUrl) }),
        ...resolveHeaders(headers, rest.sourceUrl, secrets),
        chunks: await mapInBatches(uploads, async (upload) => {
          if ('kept' in upload) return upload;
          const { headers: uploadHeaders, uploadUrl, index } = upload;
          return {
            index,
            uploadUrl: await urls.resolveUpload(uploadUrl),
            ...resolveHeaders(uploadHeaders, uploadUrl, secrets),
          };
        }),
        ...(uploadUrlPrefix !== undefined && {
          list: {
            uploadUrl: await urls.resolveUpload(`${uploadUrlPrefix}${chunkListName}`),
            ...(about !== undefined && {
              about: {
                ...about,
                // Kept chunks stay in their set, so that a repeated request finds them, also after the job has ended.
                ...(kept !== undefined && keep !== undefined && { setId: keep.setId }),
                ...{ chunkDuration, overlapDuration, ...(codec !== undefined && { codec }) },
              },
            }),
          },
        }),
        ...(kept !== undefined && keep?.source !== undefined && { sourceIdentity: keep.source }),
      });
      const corrected = chunkCount === undefined ? '' : `:${chunkCount}`;
      // The list may be replaced between two requests. Older versions requested kept chunks as another set.
      const chosen = keep === undefined ? '' : kept === undefined ? ':whole' : ':kept';
      return await submitJob({ kind: 'chunk', body, keySuffix: corrected + chosen }, attempt, dependencies);
    });
  };
}

async function uploadsOf(
  input: ChunkActivityInput,
  attempt: Attempt,
  dependencies: SubmitDependencies,
): Promise<readonly OwnUpload[]> {
  const { uploadUrlPrefix, chunks = [], chunkDuration, overlapDuration } = input;
  if (uploadUrlPrefix === undefined) return chunks;
  const { durationSeconds, codec } = await probeSource(input, attempt, dependencies);
  const count = attempt.state.chunkCount ?? countChunks(durationSeconds, chunkDuration, overlapDuration);
  if (count > maxChunks) {
    const needs = `The source of ${durationSeconds.toFixed(3)} s needs ${count} chunks, and ${maxChunks} are possible`;
    const message = `${needs}. Use a longer chunkDuration or a shorter overlapDuration.`;
    throw finalFailure(failureType('invalid_request'), message);
  }
  return Array.from({ length: count }, (_, index) => ({ index, uploadUrl: chunkUrl(uploadUrlPrefix, index, codec) }));
}

/** Uploads that keep the earlier run's chunks; undefined if all chunks must be cut again. */
async function keptUploads(
  input: ChunkActivityInput,
  attempt: Attempt,
  dependencies: ChunkDependencies,
): Promise<readonly ChunkUpload[] | undefined> {
  const { keep, uploadUrlPrefix: prefix = '' } = input;
  // The container's count differs from that of the earlier run.
  const isCountedAnew = attempt.state.chunkCount !== undefined && attempt.state.chunkCount !== keep?.totalChunks;
  if (keep === undefined || isCountedAnew) return undefined;
  if (keep.source !== undefined && !(await isKnownSource(input, keep.source, attempt, dependencies))) return undefined;
  const list = await findChunkList(prefix, dependencies.storage, attempt.signal);
  const about = ChunkListAbout.safeParse(list?.about).data;
  // Another run may have written to the prefix since the list was found.
  if (list === undefined || about?.setId !== keep.setId) return undefined;
  const { codec } = about;
  if (attempt.state.probed === undefined && codec !== undefined) {
    attempt.set({ probed: { durationSeconds: list.totalDuration, codec } });
  }
  const kept = new Set(parseIndexes(keep.indexes));
  return list.chunks.map(({ index, file, start, duration, size, sha256 }) =>
    kept.has(index)
      ? { index, kept: { file, start, duration, size, sha256 } }
      : { index, uploadUrl: `${prefix}${file}` },
  );
}
