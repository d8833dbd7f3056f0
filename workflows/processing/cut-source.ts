import { ApplicationFailure, log } from '@temporalio/workflow';
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
  /** Of the source that it was made from. */
  identity?: SourceIdentity;
  /** It is that of the earlier run, and lies there already. */
  isEarlier?: boolean;
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
  /** Missing of a run that a former version has begun. */
  about?: ListedAbout;
  /** Of the chunks whose answers an earlier run has left. */
  answered?: EarlierChunks['answered'];
}

type ListedAbout = NonNullable<ChunkActivityInput['about']>;

export type CutChunk = Chunk & { url: string };

/** A step that goes on in a run that continued as new. */
export type ResumedStep = { earlier?: EarlierChunks } & (
  { step: 'encode'; state: RetryState } | { step: 'chunk'; state: RetryState; encoded: Encoded }
);

/** The input with its defaults, and each step's share of the run. */
export interface CutRequest {
  input: ProcessingInput;
  format: string;
  chunkDuration: number;
  overlapDuration: number;
  shares: { encode: Share; chunk: Share };
  /** What an earlier run has left, where this one may take it. */
  earlier?: EarlierChunks | undefined;
}

const { codec: speechCodec, channels, sampleRate: speechSampleRate } = builtInPresets['speech-opus'].audio;

/** Between the thoughts of a speaker, who reads no book. */
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
  const encodedUrl = `${uploadUrlPrefix}encoded.${formatExtension(format)}`;
  const toGoOn = earlier === undefined ? {} : { earlier };

  const encode = async (): Promise<Encoded> => {
    const isSpeechCodec = parseFormat(format)?.codec === speechCodec;
    const rate = isSpeechCodec && { sampleRate: speechSampleRate };
    const chapters = input.chapters === undefined ? {} : { chapters: { fromSilence: chapterPauses } };
    const output = { format, channels, uploadUrl: encodedUrl, ...rate, ...chapters };
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
      (state) => continueAsNew({ step: 'encode', state, ...toGoOn }),
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
  // Encoded anew from the same source, as where the file was lost: the chunks that were cut from the former are as good.
  const isOfSameSource = isEarlier || (earlier !== undefined && isSameSource(identity ?? {}, earlier.source));
  const same = isOfSameSource ? earlier : undefined;
  const about: ListedAbout = {
    // A reset run has the key of the former one, which may have cut another source.
    ...{ setId: same?.setId ?? `${run.key}/${output.sha256}`, format, encoded: output },
    ...(identity !== undefined && { source: identity }),
  };
  if (earlier !== undefined) {
    log.info(
      same === undefined ? 'The source is not that of the earlier run: beginning anew' : 'Going on with an earlier run',
      { setId: about.setId },
    );
  }

  const cut = async (): Promise<{ result: CutChunks; counts: AttemptCounts }> => {
    const isComplete = same !== undefined && parseIndexes(same.whole).length === same.totalChunks;
    if (isEarlier && isComplete) return { result: earlierCut(same, uploadUrlPrefix), counts: noCounts };
    const keep = same && {
      keep: { setId: same.setId, indexes: same.whole, totalChunks: same.totalChunks },
      sourceSha256: output.sha256,
    };
    return await runStep(
      chunkStep(
        { sourceUrl: encodedUrl, chunkDuration, overlapDuration, uploadUrlPrefix, about, ...keep },
        { verb: 'Processing', share: shares.chunk },
      ),
      resumed?.step === 'chunk' ? resumed.state : newRetryState(knownSource(format, output)),
      run,
      (state) => continueAsNew({ step: 'chunk', state, encoded, ...toGoOn }),
    );
  };

  const { result, counts } = await cut();
  return {
    encoded: { ...output, url: encodedUrl },
    counts: sumCounts(encoded.counts, counts),
    ...{ totalChunks: result.totalChunks, totalDuration: result.totalDuration, about },
    ...(result.chunksUrl !== undefined && { chunksUrl: result.chunksUrl }),
    ...(result.chunks !== undefined && { chunks: result.chunks.map((chunk) => ({ ...chunk, url: chunk.url ?? '' })) }),
    ...(same !== undefined && { answered: same.answered }),
  };
}

function earlierEncoded(earlier: EarlierChunks | undefined): Omit<Encoded, 'counts'> {
  if (earlier?.encoded === undefined) throw ApplicationFailure.nonRetryable('Nothing was encoded', 'UnexpectedReply');
  return { output: earlier.encoded, identity: earlier.source, isEarlier: true };
}

/** What a probe of the encoded file would say, so that none is made. */
function knownSource(format: string, { duration }: EncodedOutput): { probed?: ProbedSource } {
  const codec = encodedCodec(format);
  return codec === undefined || duration === undefined ? {} : { probed: { durationSeconds: duration, codec } };
}

/** As ffprobe names it. */
export function encodedCodec(format: string): string | undefined {
  const codec = parseFormat(format)?.codec;
  return codec === undefined ? undefined : encodingOf(codec, 16).probedName;
}
