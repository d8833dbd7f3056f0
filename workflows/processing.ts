import { ActivityFailure, ApplicationFailure, continueAsNew, log } from '@temporalio/workflow';
import type { ChunkStep, EncodeStep, ProbedSource } from '../contract/activity.ts';
import type { Chunk } from '../contract/http/chunk.ts';
import { defaultChunkDuration, defaultOverlapDuration } from '../contract/defaults.ts';
import { failureType } from '../contract/error-codes.ts';
import type { EncodedOutput } from '../contract/http/encode.ts';
import type { ProviderPolicy } from '../contract/provider.ts';
import type { TranscriptUrls } from '../contract/provider-call.ts';
import type { AttemptCounts } from '../contract/workflow/retry.ts';
import type { ProcessedChunk, ProcessingInput, ProcessingOutcome } from '../contract/workflow/processing.ts';
import { attempts, newStep, type StepState } from './run/attempts.ts';
import type { ChunkTask } from './chunks/chunk-task.ts';
import { ChunkProcessing, type ProcessingState } from './chunks/process-chunks.ts';
import { assembleTranscript, containerActivities, providerPolicies } from './proxies.ts';
import { runWorkflow } from './run/run.ts';
import { processingSubject } from './status/subject.ts';

/** Decoding and encoding the whole source takes much longer than cutting the result, which is copied. */
const shares = { encode: { from: 0, to: 80 }, chunk: { from: 80, to: 100 }, process: { from: 100, to: 100 } };
/** Most of the time is the provider's. */
const sharesWithProvider = {
  encode: { from: 0, to: 20 },
  chunk: { from: 20, to: 25 },
  process: { from: 25, to: 98 },
};

const defaultFormat = 'opus_24';
/** Hz; the rate that speech recognition over Opus is made for */
const opusSampleRate = 24_000;

interface Encoded {
  output: EncodedOutput;
  counts: AttemptCounts;
}

/** What the container's two steps have made. */
interface Cut {
  encoded: EncodedOutput & { url: string };
  chunks: (Chunk & { url: string })[];
  counts: AttemptCounts;
}

/** Only given by the run itself, where its history grew too long. */
export type ResumedProcessing =
  | { step: 'encode'; state: StepState }
  | { step: 'chunk'; state: StepState; encoded: Encoded }
  | { step: 'process'; state: ProcessingState; cut: Cut };

export async function processing(input: ProcessingInput, resumed?: ResumedProcessing): Promise<ProcessingOutcome> {
  return runWorkflow('processing', input, resumed !== undefined, async (prepared, run) => {
    const format = prepared.format ?? defaultFormat;
    const chunkDuration = prepared.chunkDuration ?? defaultChunkDuration;
    const overlapDuration = prepared.overlapDuration ?? defaultOverlapDuration;
    const codec = format.replace(/_.*$/, '');
    const encodedUrl = `${prepared.uploadUrlPrefix}encoded.${fileExtension(codec)}`;
    run.board.describe(processingSubject(prepared, format, chunkDuration), run.policy.maxRetryTime);

    const { resume } = prepared;
    const provider = keysOf(prepared.provider);
    const share = provider.length === 0 ? shares : sharesWithProvider;

    const encodeSource = async (): Promise<Encoded> => {
      run.board.startStep(share.encode);
      const request: EncodeStep = {
        sourceUrl: prepared.sourceUrl,
        outputs: [
          { format, channels: 1, uploadUrl: encodedUrl, ...(codec === 'opus' && { sampleRate: opusSampleRate }) },
        ],
      };
      const { result, counts } = await attempts(
        {
          name: 'encode',
          verb: 'Processing',
          subject: `format ${format}`,
          summary: `encode ${format}`,
          execute: (summary, context) =>
            containerActivities().encode.executeWithOptions({ summary }, [request, context]),
        },
        resumed?.step === 'encode' ? resumed.state : newStep(),
        run,
        (state) => continueAsNew<typeof processing>(prepared, { step: 'encode', state }),
      );
      const [output] = result.outputs;
      if (output === undefined)
        throw ApplicationFailure.nonRetryable('The container encoded nothing', 'UnexpectedReply');
      return { output, counts };
    };

    const cutEncoded = async (encoded: Encoded) => {
      run.board.startStep(share.chunk);
      const request: ChunkStep = {
        sourceUrl: encodedUrl,
        chunkDuration,
        overlapDuration,
        uploadUrlPrefix: prepared.uploadUrlPrefix,
      };
      // We know what we have just encoded: no probe is needed.
      const probed: ProbedSource = { durationSeconds: encoded.output.duration, codec: probedCodec(codec) };
      return attempts(
        {
          name: 'chunk',
          verb: 'Processing',
          subject: `${chunkDuration}s chunks`,
          summary: `cut into ${chunkDuration} s chunks`,
          execute: (summary, context) =>
            containerActivities().chunk.executeWithOptions({ summary }, [request, context]),
        },
        resumed?.step === 'chunk' ? resumed.state : newStep({ probed }),
        run,
        (state) => continueAsNew<typeof processing>(prepared, { step: 'chunk', state, encoded }),
      );
    };

    const cutSource = async (): Promise<Cut> => {
      const encoded = resumed?.step === 'chunk' ? resumed.encoded : await encodeSource();
      const { result, counts } = await cutEncoded(encoded);
      return {
        encoded: { ...encoded.output, url: encodedUrl },
        chunks: result.chunks.map((chunk) => ({ ...chunk, url: chunk.url ?? '' })),
        counts: sumOf(encoded.counts, counts),
      };
    };

    if (provider.length === 0) {
      const { encoded, chunks, counts } = await cutSource();
      const completed = chunks.map((chunk) => ({ ...chunk, status: 'completed' as const }));
      return { status: 'completed', encoded, chunks: completed, ...counts };
    }
    // Asked before anything is encoded for a provider that nobody knows, and again by each run, since settings change.
    const policies = await policiesOf(provider);
    let cut: Cut;
    let state: ProcessingState;
    if (resumed?.step === 'process') {
      ({ cut, state } = resumed);
    } else if (resume !== undefined) {
      cut = { encoded: resume.encoded, chunks: resume.chunks.map(chunkOf), counts: noCounts };
      state = newProcessing(resume.chunks.map(taskOf));
    } else {
      cut = await cutSource();
      state = newProcessing(cut.chunks.map(() => ({ kind: 'open', attempts: 0, lost: 0 })));
    }
    run.board.startStep(share.process);
    const answerUrlOf = (index: number) => `${prepared.uploadUrlPrefix}chunk-${String(index).padStart(5, '0')}.json`;
    const toProcess = cut.chunks.map(({ index, url, size, duration }) => ({
      ...{ index, url, size, duration },
      answerUrl: answerUrlOf(index),
    }));
    const tasks = await new ChunkProcessing(toProcess, policies, run.board, state).run((state) => {
      // What it resumes from is in the state by now; twice it might be too much for one payload.
      const { resume: _, ...rest } = prepared;
      return continueAsNew<typeof processing>(rest, { step: 'process', state, cut });
    });

    const chunks = cut.chunks.map((chunk) => processedChunk(chunk, tasks[chunk.index]));
    const status = runStatus(chunks);
    let transcript: TranscriptUrls | undefined;
    if (status !== 'failed') {
      run.board.assembling();
      transcript = await assembleTranscript({
        uploadUrlPrefix: prepared.uploadUrlPrefix,
        chunks: chunks.map(({ index, start, duration, status, error }) => ({
          ...{ index, start, duration },
          ...(status === 'completed' ? { answerUrl: answerUrlOf(index) } : { error: error ?? 'failed' }),
        })),
      });
    }
    log.info(`Processed ${chunks.filter((chunk) => chunk.status === 'completed').length} of ${chunks.length} chunks`, {
      status,
    });
    const { encoded, counts } = cut;
    return { status, encoded, chunks, ...(transcript !== undefined && { transcript }), ...counts };
  });
}

function keysOf(provider: ProcessingInput['provider']): string[] {
  if (provider === undefined) return [];
  return typeof provider === 'string' ? [provider] : provider;
}

/** An unknown key is the run's own failure, with its own type and not as an activity's. */
async function policiesOf(keys: string[]): Promise<ProviderPolicy[]> {
  try {
    return await providerPolicies(keys);
  } catch (error) {
    if (!(error instanceof ActivityFailure && error.cause instanceof ApplicationFailure)) throw error;
    throw ApplicationFailure.nonRetryable(error.cause.message, error.cause.type);
  }
}

function newProcessing(tasks: ChunkTask[]): ProcessingState {
  return { tasks, startedAtMs: Date.now() };
}

/** What a former run completed stays so; what it failed gets all of its attempts anew. */
function taskOf({ status, attempts, provider }: ProcessedChunk): ChunkTask {
  return status === 'failed'
    ? { kind: 'open', attempts: 0, lost: 0 }
    : { kind: 'completed', attempts: attempts ?? 1, ...(provider !== undefined && { provider }) };
}

function chunkOf({ index, start, duration, size, sha256, url }: ProcessedChunk): Cut['chunks'][number] {
  return { index, start, duration, size, sha256, url };
}

function processedChunk(chunk: Cut['chunks'][number], task: ChunkTask | undefined): ProcessedChunk {
  if (task === undefined || task.kind === 'open') {
    throw ApplicationFailure.nonRetryable(`Chunk ${chunk.index} was not processed`, failureType('internal'));
  }
  const { attempts, provider } = task;
  const common = { ...chunk, attempts, ...(provider !== undefined && { provider }) };
  return task.kind === 'completed'
    ? { ...common, status: 'completed' }
    : { ...common, status: 'failed', error: task.error, message: task.message };
}

function runStatus(chunks: readonly ProcessedChunk[]): ProcessingOutcome['status'] {
  const completed = chunks.filter(({ status }) => status === 'completed').length;
  if (completed === chunks.length) return 'completed';
  return completed === 0 ? 'failed' : 'partial';
}

const noCounts: AttemptCounts = { attempts: 0, rateLimitHits: 0, connectionErrors: 0, elapsedSeconds: 0 };

/** Each step has its own budget; the result tells of both. */
function sumOf(a: AttemptCounts, b: AttemptCounts): AttemptCounts {
  return {
    attempts: a.attempts + b.attempts,
    rateLimitHits: a.rateLimitHits + b.rateLimitHits,
    connectionErrors: a.connectionErrors + b.connectionErrors,
    elapsedSeconds: Math.round((a.elapsedSeconds + b.elapsedSeconds) * 1000) / 1000,
  };
}

function fileExtension(codec: string): string {
  const extensions: Partial<Record<string, string>> = { aac: 'm4a', opus: 'ogg' };
  return extensions[codec] ?? codec;
}

/** ffprobe's name of a format's codec. */
function probedCodec(codec: string): string {
  return codec === 'wav' ? 'pcm_s16le' : codec;
}
