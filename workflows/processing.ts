import { continueAsNew, log } from '@temporalio/workflow';
import { defaultChunkDuration, defaultOverlapDuration, defaultProcessingFormat } from '../contract/defaults.ts';
import type { TranscriptUrls } from '../contract/provider-call.ts';
import type { ProcessingInput, ProcessingOutcome } from '../contract/workflow/processing.ts';
import { ChunkProcessing, type ProcessingState } from './chunks/process-chunks.ts';
import { cutSource, type CutResult, type ResumedStep } from './processing/cut-source.ts';
import {
  countCompleted,
  cutChunk,
  describeShortfall,
  newTask,
  outcomeStatus,
  processedChunk,
  resumedTask,
} from './processing/outcome.ts';
import { assembleTranscript, providerPolicies } from './proxies.ts';
import { noCounts } from './run/retry-state.ts';
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

/** Only given by the run itself, where its history grew too long. */
export type ResumedProcessing = ResumedStep | { step: 'process'; state: ProcessingState; cut: CutResult };

export async function processing(input: ProcessingInput, resumed?: ResumedProcessing): Promise<ProcessingOutcome> {
  return runWorkflow('processing', input, resumed !== undefined, async (prepared, run) => {
    const { format = defaultProcessingFormat, resume, uploadUrlPrefix } = prepared;
    const { chunkDuration = defaultChunkDuration, overlapDuration = defaultOverlapDuration } = prepared;
    run.status.describe(processingSubject(prepared, format, chunkDuration), run.policy.maxRetryTime);

    const keys = providerKeys(prepared.provider);
    const share = keys.length === 0 ? shares : sharesWithProvider;
    const cutAnew = async (step: ResumedStep | undefined): Promise<CutResult> =>
      cutSource({ input: prepared, format, chunkDuration, overlapDuration, shares: share }, step, run, (state) =>
        continueAsNew<typeof processing>(prepared, state),
      );

    if (keys.length === 0) {
      const { encoded, chunks, counts } = await cutAnew(resumed?.step === 'process' ? undefined : resumed);
      const completed = chunks.map((chunk) => ({ ...chunk, status: 'completed' as const }));
      return { status: 'completed', failedChunks: 0, encoded, chunks: completed, ...counts };
    }
    // Read before anything is encoded for a provider that nobody knows, and again by each run, since settings change.
    const policies = await providerPolicies(keys);
    let cut: CutResult;
    let state: ProcessingState;
    if (resumed?.step === 'process') {
      ({ cut, state } = resumed);
    } else if (resume !== undefined) {
      cut = { encoded: resume.encoded, chunks: resume.chunks.map(cutChunk), counts: noCounts };
      state = { tasks: resume.chunks.map(resumedTask), startedAtMs: Date.now() };
    } else {
      cut = await cutAnew(resumed);
      state = { tasks: cut.chunks.map(newTask), startedAtMs: Date.now() };
    }
    run.status.startChunks(share.process);
    const answerUrl = (index: number) => `${uploadUrlPrefix}chunk-${String(index).padStart(5, '0')}.json`;
    const toProcess = cut.chunks.map(({ index, url, size, duration }) => ({
      ...{ index, url, size, duration },
      answerUrl: answerUrl(index),
    }));
    const tasks = await new ChunkProcessing(toProcess, policies, run.status, state).run((state) => {
      // `resume` is part of the state by now; to give it twice might exceed the size limit of a payload.
      const { resume: _, ...rest } = prepared;
      return continueAsNew<typeof processing>(rest, { step: 'process', state, cut });
    });

    const chunks = cut.chunks.map((chunk) => processedChunk(chunk, tasks[chunk.index]));
    const status = outcomeStatus(chunks);
    let transcript: TranscriptUrls | undefined;
    if (status !== 'failed') {
      run.status.startAssembly();
      transcript = await assembleTranscript({
        uploadUrlPrefix,
        chunks: chunks.map(({ index, start, duration, status, error }) => ({
          ...{ index, start, duration },
          ...(status === 'completed' ? { answerUrl: answerUrl(index) } : { error: error ?? 'failed' }),
        })),
      });
    }
    const failedChunks = chunks.length - countCompleted(chunks);
    run.shortfall = describeShortfall(chunks);
    log.info(`Processed ${countCompleted(chunks)} of ${chunks.length} chunks`, { status, failedChunks });
    const { encoded, counts } = cut;
    return { status, failedChunks, encoded, chunks, ...(transcript !== undefined && { transcript }), ...counts };
  });
}

function providerKeys(provider: ProcessingInput['provider']): string[] {
  if (provider === undefined) return [];
  return typeof provider === 'string' ? [provider] : provider;
}
