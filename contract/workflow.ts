import { z } from 'zod';
import { Chunk, ChunkDuration, OverlapDuration, indexesInOrder, maxChunks, overlapIsShorter } from './http/chunk.ts';
import { EncodedOutput, FormatName, SourceFacts, EncodeOutputRequest, maxOutputs, Sha256Hex } from './http/encode.ts';
import type { JobPhase } from './http/job.ts';
import { ProviderChoice } from './provider.ts';
import { UploadUrlPrefix, WorkflowUrl } from './http/url.ts';

/** Overrides of the retry policy, in seconds (contract 2). */
export const RetryOverrides = z.strictObject({
  maxRetryTime: z.number().min(0).max(31_536_000).optional(),
  baseDelay: z.number().positive().max(86_400).optional(),
  maxDelay: z.number().positive().max(86_400).optional(),
  retryBuffer: z.number().min(0).max(86_400).optional(),
});
export type RetryOverrides = z.infer<typeof RetryOverrides>;

export const WorkflowOutput = EncodeOutputRequest.extend({ uploadUrl: WorkflowUrl });

export const EncodeInput = z.strictObject({
  sourceUrl: WorkflowUrl,
  sourceSha256: Sha256Hex.optional(),
  outputs: z.array(WorkflowOutput).min(1).max(maxOutputs),
  retry: RetryOverrides.optional(),
});
export type EncodeInput = z.infer<typeof EncodeInput>;

const chunkShape = {
  chunkDuration: ChunkDuration.optional(),
  overlapDuration: OverlapDuration.optional(),
};
const overlapIssue = { error: 'must be shorter than chunkDuration', path: ['overlapDuration'] };

export const ChunkingInput = z
  .strictObject({
    sourceUrl: WorkflowUrl,
    sourceSha256: Sha256Hex.optional(),
    ...chunkShape,
    uploadUrlPrefix: UploadUrlPrefix.optional(),
    chunks: z
      .array(z.strictObject({ index: z.number().int().min(0), uploadUrl: WorkflowUrl }))
      .min(1)
      .max(maxChunks)
      .refine(indexesInOrder, { error: 'must be in order, with index 0, 1, 2 …' })
      .optional(),
    retry: RetryOverrides.optional(),
  })
  .refine(overlapIsShorter, overlapIssue)
  .refine((input) => (input.uploadUrlPrefix === undefined) !== (input.chunks === undefined), {
    error: 'give either uploadUrlPrefix or chunks',
    path: ['uploadUrlPrefix'],
  });
export type ChunkingInput = z.infer<typeof ChunkingInput>;

/** A chunk as `processing` leaves it. */
export const ProcessedChunk = Chunk.extend({
  url: z.string(),
  /** Without `provider` a chunk is complete when it is cut. */
  status: z.enum(['completed', 'failed']),
  /** Why it failed: `timeout`, `rate_limited`, `unreachable`, `http_400` … */
  error: z.string().optional(),
  /** The same as a sentence. */
  message: z.string().optional(),
  /** Calls to a provider that count: one that ended in a throttle does not. */
  attempts: z.number().int().optional(),
  /** The key that processed it or tried last. */
  provider: z.string().optional(),
});
export type ProcessedChunk = z.infer<typeof ProcessedChunk>;

function isUnder(prefix: string, url: string): boolean {
  return url.startsWith(prefix) && /^chunk-\d{5,}\.[a-z0-9]+$/.test(url.slice(prefix.length));
}

/** Of an earlier run's result (which can be given as it is), what another run needs to process only the chunks that failed. */
export const ProcessingResume = z.object({
  encoded: EncodedOutput.extend({ url: WorkflowUrl }),
  chunks: z
    .array(ProcessedChunk.extend({ url: WorkflowUrl }))
    .min(1)
    .max(maxChunks)
    .refine(indexesInOrder, { error: 'must be in order, with index 0, 1, 2 …' }),
});
export type ProcessingResume = z.infer<typeof ProcessingResume>;

export const ProcessingInput = z
  .strictObject({
    sourceUrl: WorkflowUrl,
    uploadUrlPrefix: UploadUrlPrefix,
    format: FormatName.optional(),
    ...chunkShape,
    /** Keys of the workers' PROVIDERS_FILE. */
    provider: ProviderChoice.optional(),
    /** The result of a run that ended `partial` or `failed`: nothing is encoded or cut anew, and only its failed chunks are processed. */
    resume: ProcessingResume.optional(),
    retry: RetryOverrides.optional(),
  })
  .refine(overlapIsShorter, overlapIssue)
  .refine((input) => input.resume === undefined || input.provider !== undefined, {
    error: 'needs a provider, which processes the failed chunks',
    path: ['resume'],
  })
  // Workers fetch the chunks, and what a workflow's caller names must not make them fetch anything else.
  .refine(({ resume, uploadUrlPrefix }) => resume?.chunks.every(({ url }) => isUnder(uploadUrlPrefix, url)) ?? true, {
    error: 'names chunks that do not lie under uploadUrlPrefix',
    path: ['resume'],
  });
export type ProcessingInput = z.infer<typeof ProcessingInput>;

/** The one argument of each workflow type. */
export interface WorkflowInputs {
  encode: EncodeInput;
  chunking: ChunkingInput;
  processing: ProcessingInput;
}
export type WorkflowType = keyof WorkflowInputs;

/** How a run came to its end, told with its result and with `RetryBudgetExhausted`. */
export const AttemptCounts = z.object({
  attempts: z.number().int(),
  rateLimitHits: z.number().int(),
  connectionErrors: z.number().int(),
  elapsedSeconds: z.number(),
});
export type AttemptCounts = z.infer<typeof AttemptCounts>;

export const EncodeOutcome = AttemptCounts.extend({ outputs: z.array(EncodedOutput), source: SourceFacts });
export type EncodeOutcome = z.infer<typeof EncodeOutcome>;

export const ChunkingOutcome = AttemptCounts.extend({
  totalChunks: z.number().int(),
  totalDuration: z.number(),
  /** `url` where `uploadUrlPrefix` was given: the name's ending depends on the source. */
  chunks: z.array(Chunk.extend({ url: z.string().optional() })),
});
export type ChunkingOutcome = z.infer<typeof ChunkingOutcome>;

export const ProcessingOutcome = AttemptCounts.extend({
  /** `completed` where all chunks are, `failed` where none is. */
  status: z.enum(['completed', 'partial', 'failed']),
  encoded: EncodedOutput.extend({ url: z.string() }),
  chunks: z.array(ProcessedChunk),
  /** With `provider`, unless no chunk was completed. */
  transcript: z.object({ json: z.string(), vtt: z.string(), srt: z.string() }).optional(),
});
export type ProcessingOutcome = z.infer<typeof ProcessingOutcome>;

/** Where a chunk stands with its provider. Times are ISO 8601. */
export type ChunkState =
  | { state: 'pending' }
  | { state: 'waiting_for_permit'; attempt: number }
  | { state: 'processing'; attempt: number; provider: string }
  /** `attempt` has failed; the next is made after `until`. */
  | { state: 'backoff'; attempt: number; until: string; error: string }
  | { state: 'completed' }
  | { state: 'failed'; error: string; message: string };

/** What the query `status` answers (contract 3). */
export interface WorkflowStatus {
  /** `prepare`, the phases of the container's job, `process` and `assemble` with a provider, or `done` */
  phase: 'prepare' | JobPhase | 'process' | 'assemble' | 'done';
  state: 'queued' | 'running' | 'waiting' | 'done' | 'failed';
  percent: number;
  attempt: number;
  waiting?: {
    reason: 'rate_limited' | 'connection_error';
    /** ISO 8601 */
    until: string;
    seconds: number;
  };
  elapsedSeconds: number;
  budgetLeftSeconds: number;
  etaSeconds?: number;
  /** With `provider`, from when the chunks are cut. */
  chunks?: ({ index: number } & ChunkState)[];
  /** To the end of all chunks, as it follows from permits, rate and throttle. */
  estimatedDelaySeconds?: number;
  /** The gate does not answer: only the limit of each worker holds. */
  degraded?: boolean;
  /** Keys for which nothing new is started. */
  throttled?: { provider: string; until: string; reason: string }[];
}
