import { continueAsNew } from '@temporalio/workflow';
import { maxInlineListBytes } from '../contract/chunk-plan.ts';
import { defaultChunkDuration, defaultOverlapDuration, defaultProcessingFormat } from '../contract/defaults.ts';
import { ungroupItems } from '../contract/index-ranges.ts';
import { jsonBytes } from '../contract/payload-size.ts';
import type { ProcessingInput, ProcessingOutcome } from '../contract/workflow/processing.ts';
import { type ChunkTask, newChunkTask } from './chunks/chunk-task.ts';
import type { ProcessingState } from './chunks/process-chunks.ts';
import { cutSource, type CutResult, type ResumedStep } from './processing/cut-source.ts';
import { cutChunk, resumedTask } from './processing/outcome.ts';
import { chunkCount, needsOf, processCut } from './processing/process-cut.ts';
import { readPolicies } from './proxies.ts';
import { findEarlier } from './run/earlier-cut.ts';
import { noCounts } from './run/retry-state.ts';
import type { Resumed } from './run/run-key.ts';
import { resumedBy, runWorkflow } from './run/run.ts';
import { processingSubject } from './status/subject.ts';

/** Encoding decodes the whole source and takes far longer than cutting, which copies the stream. */
const shares = { encode: { from: 0, to: 80 }, chunk: { from: 80, to: 100 }, process: { from: 100, to: 100 } };
/** The provider takes most of the time. */
const sharesWithProvider = {
  encode: { from: 0, to: 20 },
  chunk: { from: 20, to: 25 },
  process: { from: 25, to: 98 },
};

/** State that the workflow passes to itself when it continues as new. */
export type ResumedProcessing = ResumedStep | { step: 'process'; state: ProcessingState; cut: CutResult };

export async function processing(
  input: ProcessingInput,
  resumedRun?: Resumed<ResumedProcessing>,
): Promise<ProcessingOutcome> {
  return runWorkflow('processing', input, resumedRun, async (prepared, run, resumed) => {
    const { format = defaultProcessingFormat, track, resume } = prepared;
    const { chunkDuration = defaultChunkDuration, overlapDuration = defaultOverlapDuration } = prepared;
    run.status.describe(processingSubject(prepared, format, chunkDuration), run.policy.maxRetryTime);

    const keys = [prepared.provider ?? []].flat();
    const share = keys.length === 0 ? shares : sharesWithProvider;
    const request = { input: prepared, format, chunkDuration, overlapDuration };
    const { uploadUrlPrefix } = prepared;
    const settings = { format, chunkDuration, overlapDuration, ...(track !== undefined && { track }) };
    const makeCut = async (step: ResumedStep | undefined): Promise<CutResult> => {
      const mayFind = resume === true && step === undefined;
      const earlier = mayFind
        ? await findEarlier({ ...settings, ...needsOf(prepared), uploadUrlPrefix, providers: keys })
        : step?.earlier;
      return await cutSource({ ...request, shares: share, earlier }, step, run, (state) =>
        continueAsNew<typeof processing>(run.priority.inputOf(prepared), resumedBy(run, state)),
      );
    };

    if (keys.length === 0) {
      const cut = await makeCut(resumed?.step === 'process' ? undefined : resumed);
      return { status: 'completed', failedChunks: 0, ...facts(cut), ...cutChunks(cut), ...cut.counts };
    }
    // An unknown provider must fail the run before anything is encoded. Each continued run reads the policies again,
    // because settings change.
    const policies = await readPolicies(keys, run.requester, needsOf(prepared));
    let cut: CutResult;
    let state: ProcessingState;
    if (resumed?.step === 'process') {
      ({ cut, state } = resumed);
    } else if (typeof resume === 'object') {
      const { encoded, chunks, setId } = resume;
      const about = setId === undefined ? {} : { about: { setId } };
      cut = { encoded, chunks: chunks.map(cutChunk), counts: noCounts, ...about };
      state = { tasks: resume.chunks.map(resumedTask), startedAtMs: Date.now() };
    } else {
      cut = await makeCut(resumed);
      state = { tasks: startTasks(cut), startedAtMs: Date.now() };
    }
    run.status.startChunks(share.process);
    const processed = await processCut(cut, request, policies, state, run, (state) => {
      // The state contains a resumed result; sending it twice could exceed the payload limit. A rerun reads this input,
      // and with `true` it reuses the same files.
      const shortened = typeof resume === 'object' ? { ...prepared, resume: true } : prepared;
      return continueAsNew<typeof processing>(
        run.priority.inputOf(shortened),
        resumedBy(run, { step: 'process', state, cut }),
      );
    });
    return { ...processed, ...facts(cut), ...cut.counts };
  });
}

/** Chunks that the provider answered in an earlier run count as completed. */
function startTasks(cut: CutResult): ChunkTask[] {
  const answered = ungroupItems(cut.answered ?? []);
  return Array.from({ length: chunkCount(cut) }, (_, index): ChunkTask => {
    const answer = answered[index];
    return answer === undefined ? newChunkTask : { kind: 'completed', ...answer };
  });
}

function facts(cut: CutResult): Pick<ProcessingOutcome, 'encoded' | 'totalChunks' | 'setId'> {
  const { encoded, about } = cut;
  return { encoded, totalChunks: chunkCount(cut), ...(about !== undefined && { setId: about.setId }) };
}

/** Without a provider, a chunk is complete as soon as it is cut. */
function cutChunks({ chunks, chunksUrl }: CutResult): Pick<ProcessingOutcome, 'chunks' | 'chunksUrl'> {
  const completed = chunks?.map((chunk) => ({ ...chunk, status: 'completed' as const }));
  const isInline = completed !== undefined && (chunksUrl === undefined || jsonBytes(completed) <= maxInlineListBytes);
  return { ...(isInline && { chunks: completed }), ...(chunksUrl !== undefined && { chunksUrl }) };
}
