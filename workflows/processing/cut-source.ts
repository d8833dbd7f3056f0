import { ApplicationFailure, log, patched } from '@temporalio/workflow';
import type { ChunkActivityInput, ProbedSource } from '../../contract/activity.ts';
import { encodingOf } from '../../contract/audio-codecs.ts';
import { type EarlierChunks, isUnchanged } from '../../contract/earlier-chunks.ts';
import { formatExtension, parseFormat } from '../../contract/formats.ts';
import type { Chunk } from '../../contract/http/chunk.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { parseIndexes } from '../../contract/index-ranges.ts';
import { builtInPresets } from '../../contract/presets.ts';
import { isSameSource } from '../../contract/same-source.ts';
import { mayNameChunk } from '../../contract/written-names.ts';
import type { ProcessingInput } from '../../contract/workflow/processing.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { chunkStep, type CutChunks, encodeStep, orUnchanged } from '../run/container-steps.ts';
import { earlierCut } from '../run/earlier-cut.ts';
import { newRetryState, noCounts, type RetryState, sumCounts } from '../run/retry-state.ts';
import { runStep } from '../run/run-step.ts';
import type { Run } from '../run/run.ts';
import type { Share } from '../status/step-status.ts';

export interface Encoded {
  output: EncodedOutput;
  counts: AttemptCounts;
  identity?: SourceIdentity;
  /** True if an earlier run encoded the file. */
  isEarlier?: boolean;
}

export interface CutResult {
  encoded: EncodedOutput & { url: string };
  counts: AttemptCounts;
  /** Missing in runs started by an older version, which have all `chunks`. */
  totalChunks?: number;
  /** seconds */
  totalDuration?: number;
  chunksUrl?: string;
  /** Missing when the list is too long for a history. */
  chunks?: CutChunk[];
  /** Missing in runs started by an older version. */
  about?: ListedAbout;
  /** Outcomes of the chunks that the provider answered in an earlier run. */
  answered?: EarlierChunks['answered'];
}

type ListedAbout = NonNullable<ChunkActivityInput['about']>;

export type CutChunk = Chunk & { url: string };

export type ResumedStep = { earlier?: EarlierChunks } & (
  { step: 'encode'; state: RetryState } | { step: 'chunk'; state: RetryState; encoded: Encoded }
);

/** The input with defaults applied, and each step's share of the run. */
export interface CutRequest {
  input: ProcessingInput;
  format: string;
  chunkDuration: number;
  overlapDuration: number;
  shares: { encode: Share; chunk: Share };
  earlier?: EarlierChunks | undefined;
}

const { codec: speechCodec, channels, sampleRate: speechSampleRate } = builtInPresets['speech-opus'].audio;

/** Seconds. Free speech has shorter pauses between subjects than a read book. */
const chapterPauses = { minPause: 1 };

/** Encodes the source to one file for processing, then cuts that file into chunks. */
export async function cutSource(
  request: CutRequest,
  resumed: ResumedStep | undefined,
  run: Run,
  continueAsNew: (resumed: ResumedStep) => Promise<never>,
): Promise<CutResult> {
  const { input, format, chunkDuration, overlapDuration, shares, earlier } = request;
  const { uploadUrlPrefix } = input;
  const track = input.track === undefined ? {} : { track: input.track };
  const encodedUrl = `${uploadUrlPrefix}encoded.${formatExtension(format)}`;
  const kept = earlier === undefined ? {} : { earlier };

  const encode = async (): Promise<Encoded> => {
    const isSpeechCodec = parseFormat(format)?.codec === speechCodec;
    const rate = isSpeechCodec && { sampleRate: speechSampleRate };
    const chapters = input.chapters === undefined ? {} : { chapters: { fromSilence: chapterPauses } };
    const output = { format, channels, uploadUrl: encodedUrl, ...track, ...rate, ...chapters };
    const { sourceUrl, headers, sourceSha256, parallel } = input;
    const unless = earlier?.encoded === undefined ? {} : { unlessSource: earlier.source };
    const { result, counts } = await runStep(
      orUnchanged(
        encodeStep(
          { sourceUrl, headers, sourceSha256, parallel, outputs: [output], ...unless },
          { verb: 'Processing', share: shares.encode },
        ),
      ),
      resumed?.step === 'encode' ? resumed.state : newRetryState(),
      run,
      (state) => continueAsNew({ step: 'encode', state, ...kept }),
    );
    if (isUnchanged(result)) return { ...earlierEncoded(earlier), counts };
    const { identity } = result;
    const [encoded] = result.outputs;
    if (encoded === undefined)
      throw ApplicationFailure.nonRetryable('The container encoded nothing', 'UnexpectedReply');
    return { output: encoded, counts, ...(identity !== undefined && { identity }) };
  };

  const encoded = resumed?.step === 'chunk' ? resumed.encoded : await encode();
  const { identity, output, isEarlier = false } = encoded;
  // If only the encoded file was lost and the same source was encoded again, the earlier chunks are still valid.
  const isOfSameSource = isEarlier || (earlier !== undefined && isSameSource(identity ?? {}, earlier.source));
  const same = isOfSameSource ? earlier : undefined;
  const about: ListedAbout = {
    // The checksum is part of the id: a reset run keeps its key and may have cut another source before.
    setId: same?.setId ?? `${run.key}/${output.sha256}`,
    format,
    ...track,
    encoded: output,
    ...(identity !== undefined && { source: identity }),
  };
  if (earlier !== undefined) {
    log.info(
      same === undefined ? 'The source differs from the earlier run: starting over' : 'Resuming an earlier run',
      { setId: about.setId },
    );
  }

  const cut = async (): Promise<{ result: CutChunks; counts: AttemptCounts }> => {
    const isComplete = same !== undefined && parseIndexes(same.whole).length === same.totalChunks;
    if (isEarlier && isComplete) return { result: earlierCut(same, uploadUrlPrefix), counts: noCounts };
    const keep = same && { keep: { setId: same.setId, indexes: same.whole, totalChunks: same.totalChunks } };
    // Another run with the same prefix may have replaced the encoded file. Older versions submitted the job without the
    // checksum, and a container refuses another request with the key of that job.
    const isChecked = same !== undefined || patched('cut-checks-encoded-file');
    const encodedFile = { sourceUrl: encodedUrl, ...(isChecked && { sourceSha256: output.sha256 }) };
    const original = mayNameChunk(input.sourceUrl) ? { originalUrl: input.sourceUrl } : {};
    return await runStep(
      chunkStep(
        { ...encodedFile, ...original, chunkDuration, overlapDuration, uploadUrlPrefix, about, ...keep },
        { verb: 'Processing', share: shares.chunk },
      ),
      resumed?.step === 'chunk' ? resumed.state : newRetryState(knownSource(format, output)),
      run,
      (state) => continueAsNew({ step: 'chunk', state, encoded, ...kept }),
    );
  };

  const { result, counts } = await cut();
  return {
    encoded: { ...output, url: encodedUrl },
    counts: sumCounts(encoded.counts, counts),
    totalChunks: result.totalChunks,
    totalDuration: result.totalDuration,
    about,
    ...(result.chunksUrl !== undefined && { chunksUrl: result.chunksUrl }),
    ...(result.chunks !== undefined && { chunks: result.chunks.map((chunk) => ({ ...chunk, url: chunk.url ?? '' })) }),
    ...(same !== undefined && { answered: same.answered }),
  };
}

function earlierEncoded(earlier: EarlierChunks | undefined): Omit<Encoded, 'counts'> {
  if (earlier?.encoded === undefined)
    throw ApplicationFailure.nonRetryable('The earlier run has no encoded file', 'UnexpectedReply');
  return { output: earlier.encoded, identity: earlier.source, isEarlier: true };
}

/** The probe result of the encoded file; deriving it from the format saves a probe. */
function knownSource(format: string, { duration }: EncodedOutput): { probed?: ProbedSource } {
  const codec = encodedCodec(format);
  return codec === undefined || duration === undefined ? {} : { probed: { durationSeconds: duration, codec } };
}

/** The codec's name in ffprobe. */
export function encodedCodec(format: string): string | undefined {
  const codec = parseFormat(format)?.codec;
  return codec === undefined ? undefined : encodingOf(codec, 16).probedName;
}
