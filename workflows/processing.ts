import { ApplicationFailure, continueAsNew } from '@temporalio/workflow';
import type { ChunkStep, EncodeStep, ProbedSource } from '../contract/activity.ts';
import { defaultChunkDuration, defaultOverlapDuration } from '../contract/names.ts';
import type { EncodedOutput } from '../contract/encode.ts';
import type { AttemptCounts, ProcessingInput, ProcessingOutcome } from '../contract/workflow.ts';
import { attempts, newStep, type StepState } from './attempts.ts';
import { containerActivities } from './proxies.ts';
import { runWorkflow } from './run.ts';
import { processingSubject } from './subject.ts';

/** Decoding and encoding the whole source takes much longer than cutting the result, which is copied. */
const encodeShare = { from: 0, to: 80 };
const chunkShare = { from: 80, to: 100 };

const defaultFormat = 'opus_24';
/** Hz; the rate that speech recognition over Opus is made for */
const opusSampleRate = 24_000;

interface Encoded {
  output: EncodedOutput;
  counts: AttemptCounts;
}

/** Only given by the run itself, where its history grew too long. */
export type ResumedProcessing =
  { step: 'encode'; state: StepState } | { step: 'chunk'; state: StepState; encoded: Encoded };

export async function processing(input: ProcessingInput, resumed?: ResumedProcessing): Promise<ProcessingOutcome> {
  return runWorkflow('processing', input, resumed !== undefined, async (prepared, run) => {
    const format = prepared.format ?? defaultFormat;
    const chunkDuration = prepared.chunkDuration ?? defaultChunkDuration;
    const overlapDuration = prepared.overlapDuration ?? defaultOverlapDuration;
    const codec = format.replace(/_.*$/, '');
    const encodedUrl = `${prepared.uploadUrlPrefix}encoded.${fileExtension(codec)}`;
    run.board.describe(processingSubject(prepared, format, chunkDuration), run.policy.maxRetryTime);

    const encodeSource = async (): Promise<Encoded> => {
      run.board.startStep(encodeShare);
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
      run.board.startStep(chunkShare);
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

    const encoded = resumed?.step === 'chunk' ? resumed.encoded : await encodeSource();
    const cut = await cutEncoded(encoded);
    return {
      status: 'completed',
      encoded: { ...encoded.output, url: encodedUrl },
      chunks: cut.result.chunks.map((chunk) => ({ ...chunk, status: 'completed' as const, url: chunk.url ?? '' })),
      ...sumOf(encoded.counts, cut.counts),
    };
  });
}

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
