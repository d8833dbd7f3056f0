import { z } from 'zod';
import { defaultProcessingFormat } from '../defaults.ts';
import { formatExtension } from '../formats.ts';
import { checkInputsKept } from '../places.ts';
import { namesOfProcessing } from '../written-names.ts';
import { RequestedCaptionStyle } from '../captions.ts';
import { chunkOutcomeFields } from '../chunk-list.ts';
import { maxChunks } from '../chunk-plan.ts';
import { Chunk, chunkRequestShape, indexesInOrder, overlapIsShorter, overlapIssue } from '../http/chunk.ts';
import { Track } from '../http/audio.ts';
import { encodeRequestShape } from '../http/encode.ts';
import { checkSourceHeaders } from '../http/headers.ts';
import { EncodedOutput, FormatName } from '../http/output.ts';
import { UploadUrlPrefix, WorkflowUrl } from '../http/url.ts';
import { ProviderChoice } from '../provider.ts';
import { WantedSpeakers } from '../speakers.ts';
import { Vocabulary } from '../vocabulary.ts';
import { commonInputShape, weightHasKey, weightIssue } from './common-input.ts';
import { WorkflowHeaders } from './headers.ts';
import { AttemptCounts } from './retry.ts';
import { TranscriptFiles } from './transcript-files.ts';

export const ProcessedChunk = Chunk.extend({
  url: z.string(),
  ...chunkOutcomeFields,
});
export type ProcessedChunk = z.infer<typeof ProcessedChunk>;

/** The answer to a chunk is stored as JSON beside it. */
const chunkName = /^chunk-\d{5,}\.(?!json$)[a-z0-9]+$/;
const encodedName = /^encoded\.[a-z0-9]+$/;

/** Whether an earlier run under the prefix wrote all files of a result. */
function isUnder(prefix: string, { encoded, chunks }: ProcessingResume): boolean {
  const has = (url: string, name: RegExp): boolean => url.startsWith(prefix) && name.test(url.slice(prefix.length));
  return has(encoded.url, encodedName) && chunks.every(({ url }) => has(url, chunkName));
}

/**
 * The part of an earlier result that another run needs to process only the failed chunks; the whole result is accepted,
 * too.
 */
export const ProcessingResume = z.object({
  encoded: EncodedOutput.extend({ url: WorkflowUrl }),
  /** Missing in results of older versions. */
  setId: z.string().max(200).optional(),
  chunks: z
    .array(ProcessedChunk.extend({ url: WorkflowUrl }))
    .min(1)
    .max(maxChunks)
    .refine(indexesInOrder, { error: 'must be in order, with index 0, 1, 2 …' }),
});
export type ProcessingResume = z.infer<typeof ProcessingResume>;

const { sourceSha256, chunkDuration, overlapDuration } = chunkRequestShape;

export const ProcessingInput = z
  .strictObject({
    sourceUrl: WorkflowUrl,
    headers: WorkflowHeaders.optional(),
    sourceSha256,
    parallel: encodeRequestShape.parallel,
    uploadUrlPrefix: UploadUrlPrefix,
    /** Audio track of the source; default: the first with sound. */
    track: Track.optional(),
    format: FormatName.optional(),
    chunkDuration,
    overlapDuration,
    /** Keys of the workers' PROVIDERS_FILE. */
    provider: ProviderChoice.optional(),
    /** Writes a podcast chapters file whose chapters begin where transcript segments follow pauses. */
    chapters: z.literal('from_transcript', { error: 'must be "from_transcript"' }).optional(),
    /** Layout of the cues of SRT, WebVTT and TTML. */
    captions: RequestedCaptionStyle.optional(),
    /** Tells the speakers of the transcript apart: S1, S2, … in order of appearance. */
    speakers: WantedSpeakers.optional(),
    /** Names and terms that providers may not know. */
    vocabulary: Vocabulary.optional(),
    /** true: the transcript is in English, whatever language is spoken. */
    translate: z.boolean().optional(),
    /**
     * true: reuses complete work of an earlier run under the same prefix with the same source and settings. A result
     * that ended `partial` or `failed`: nothing is encoded or cut again, and only its failed chunks are processed.
     */
    resume: z.union([z.boolean(), ProcessingResume]).optional(),
    ...commonInputShape,
  })
  .refine(weightHasKey, weightIssue)
  .refine(overlapIsShorter, overlapIssue)
  .superRefine(checkSourceHeaders)
  .refine(({ chapters, provider }) => chapters === undefined || provider !== undefined, {
    error: 'needs a provider, whose transcript they are from',
    path: ['chapters'],
  })
  .refine(({ captions, provider }) => captions === undefined || provider !== undefined, {
    error: 'needs a provider, whose transcript they show',
    path: ['captions'],
  })
  .refine(({ speakers, provider }) => speakers === undefined || provider !== undefined, {
    error: 'needs a provider, whose transcript names them',
    path: ['speakers'],
  })
  .refine(({ vocabulary, provider }) => vocabulary === undefined || provider !== undefined, {
    error: 'needs a provider, which is told these words',
    path: ['vocabulary'],
  })
  .refine(({ translate, provider }) => translate !== true || provider !== undefined, {
    error: 'needs a provider, which translates',
    path: ['translate'],
  })
  .refine(({ resume, provider }) => typeof resume !== 'object' || provider !== undefined, {
    error: 'needs a provider, which processes the failed chunks',
    path: ['resume'],
  })
  // Workers fetch the chunks, and the server links to the encoded file. A caller must not name any other file.
  .refine(({ resume, uploadUrlPrefix }) => typeof resume !== 'object' || isUnder(uploadUrlPrefix, resume), {
    error: 'names files that no run writes under uploadUrlPrefix',
    path: ['resume'],
  })
  .superRefine(({ sourceUrl, uploadUrlPrefix, format = defaultProcessingFormat }, context) => {
    const names = namesOfProcessing(formatExtension(format));
    const target = { path: ['uploadUrlPrefix'], url: uploadUrlPrefix, names };
    checkInputsKept([{ field: 'sourceUrl', url: sourceUrl }], [target], context);
  });
export type ProcessingInput = z.infer<typeof ProcessingInput>;

export const ProcessingOutcome = AttemptCounts.extend({
  /** `completed`: all chunks are; `failed`: none is. */
  status: z.enum(['completed', 'partial', 'failed']),
  failedChunks: z.number().int(),
  encoded: EncodedOutput.extend({ url: z.string() }),
  totalChunks: z.number().int(),
  /** Id of the set to which the chunks belong; the answers of providers repeat it. Runs of older versions omit it. */
  setId: z.string().optional(),
  /** URL of the chunk list. Optional: runs of older versions omit it. */
  chunksUrl: z.string().optional(),
  /** Undefined if there are too many for a result; `chunksUrl` has them. */
  chunks: z.array(ProcessedChunk).optional(),
  /** Set with a `provider`, unless no chunk was completed. */
  transcript: TranscriptFiles.optional(),
  /** Number of captions in the transcript; 0 if nobody speaks. */
  cues: z.number().int().optional(),
});
export type ProcessingOutcome = z.infer<typeof ProcessingOutcome>;
