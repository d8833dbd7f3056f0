import { ApplicationFailure } from '@temporalio/workflow';
import type { ProbedSource } from '../../contract/activity.ts';
import { encodingOf } from '../../contract/audio-codecs.ts';
import { formatExtension, parseFormat } from '../../contract/formats.ts';
import type { Chunk } from '../../contract/http/chunk.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';
import { builtInPresets } from '../../contract/presets.ts';
import type { ProcessingInput } from '../../contract/workflow/processing.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { chunkStep, encodeStep } from '../run/container-steps.ts';
import { newRetryState, type RetryState, sumCounts } from '../run/retry-state.ts';
import { runStep } from '../run/run-step.ts';
import type { Run } from '../run/run.ts';
import type { Share } from '../status/step-status.ts';

export interface Encoded {
  output: EncodedOutput;
  counts: AttemptCounts;
}

/** What the steps `encode` and `chunk` have made. */
export interface CutResult {
  encoded: EncodedOutput & { url: string };
  counts: AttemptCounts;
  /** Missing of a run that a former version has begun: it has all `chunks`. */
  totalChunks?: number;
  /** seconds */
  totalDuration?: number;
  /** Where the list of the chunks is stored. */
  chunksUrl?: string;
  /** Missing where they are too many for a history. */
  chunks?: CutChunk[];
}

export type CutChunk = Chunk & { url: string };

/** A step that goes on in a run that continued as new. */
export type ResumedStep =
  { step: 'encode'; state: RetryState } | { step: 'chunk'; state: RetryState; encoded: Encoded };

/** The input with its defaults, and each step's share of the run. */
export interface CutRequest {
  input: ProcessingInput;
  format: string;
  chunkDuration: number;
  overlapDuration: number;
  shares: { encode: Share; chunk: Share };
}

const { codec: speechCodec, channels, sampleRate: speechSampleRate } = builtInPresets['speech-opus'].audio;

/** Encodes the source to one file for processing, then cuts that file into chunks. */
export async function cutSource(
  request: CutRequest,
  resumed: ResumedStep | undefined,
  run: Run,
  continueAsNew: (resumed: ResumedStep) => Promise<never>,
): Promise<CutResult> {
  const { input, format, chunkDuration, overlapDuration, shares } = request;
  const encodedUrl = `${input.uploadUrlPrefix}encoded.${formatExtension(format)}`;

  const encode = async (): Promise<Encoded> => {
    const isSpeechCodec = parseFormat(format)?.codec === speechCodec;
    const rate = isSpeechCodec && { sampleRate: speechSampleRate };
    const output = { format, channels, uploadUrl: encodedUrl, ...rate };
    const { sourceUrl, headers, sourceSha256, parallel } = input;
    const { result, counts } = await runStep(
      encodeStep(
        { sourceUrl, headers, sourceSha256, parallel, outputs: [output] },
        { verb: 'Processing', share: shares.encode },
      ),
      resumed?.step === 'encode' ? resumed.state : newRetryState(),
      run,
      (state) => continueAsNew({ step: 'encode', state }),
    );
    const [encoded] = result.outputs;
    if (encoded === undefined)
      throw ApplicationFailure.nonRetryable('The container encoded nothing', 'UnexpectedReply');
    return { output: encoded, counts };
  };

  const cut = async (encoded: Encoded) => {
    const { uploadUrlPrefix } = input;
    return runStep(
      chunkStep(
        { sourceUrl: encodedUrl, chunkDuration, overlapDuration, uploadUrlPrefix },
        { verb: 'Processing', share: shares.chunk },
      ),
      resumed?.step === 'chunk' ? resumed.state : newRetryState(knownSource(format, encoded.output)),
      run,
      (state) => continueAsNew({ step: 'chunk', state, encoded }),
    );
  };

  const encoded = resumed?.step === 'chunk' ? resumed.encoded : await encode();
  const { result, counts } = await cut(encoded);
  return {
    encoded: { ...encoded.output, url: encodedUrl },
    counts: sumCounts(encoded.counts, counts),
    ...{ totalChunks: result.totalChunks, totalDuration: result.totalDuration },
    ...(result.chunksUrl !== undefined && { chunksUrl: result.chunksUrl }),
    ...(result.chunks !== undefined && { chunks: result.chunks.map((chunk) => ({ ...chunk, url: chunk.url ?? '' })) }),
  };
}

/** What a probe of the encoded file would say, so that none is made. */
function knownSource(format: string, { duration }: EncodedOutput): { probed?: ProbedSource } {
  const codec = encodedCodec(format);
  return codec === undefined ? {} : { probed: { durationSeconds: duration, codec } };
}

/** As ffprobe names it. */
export function encodedCodec(format: string): string | undefined {
  const codec = parseFormat(format)?.codec;
  return codec === undefined ? undefined : encodingOf(codec, 16).probedName;
}
