import { ApplicationFailure } from '@temporalio/workflow';
import type { EncodeActivityInput } from '../../contract/activity.ts';
import type { EncodePart, PartResult, SegmentFile, SegmentRange, SoundFile } from '../../contract/http/part.ts';
import type { SourceIdentity } from '../../contract/http/source.ts';
import {
  copyName,
  segmentCopyId,
  segmentId,
  segmentPrefix,
  soundCopyId,
  soundId,
  soundPrefix,
} from '../../contract/spread-settings.ts';
import { containerActivities } from '../proxies.ts';
import type { Step } from '../run/step.ts';
import { formatsOf } from '../status/subject.ts';
import type { Share } from '../status/step-status.ts';

type PlanPart = Extract<EncodePart, { kind: 'plan' }>;

/** How the films are divided; `whole`: one container encodes them. */
export type Planned =
  { kind: 'whole'; reason: string } | (Extract<PartResult, { kind: 'plan' }> & { identity: SourceIdentity });

interface PartStep {
  id: string;
  share: Share;
  /** What the step does, for logs and the Web UI. */
  what: string;
  targets?: Step['targets'];
}

function partStep<Result>(
  request: EncodeActivityInput,
  part: EncodePart,
  { id, share, what, targets }: PartStep,
  resultOf: (result: PartResult, identity: SourceIdentity) => Result | undefined,
): Step<Result> {
  const formats = formatsOf(request.outputs);
  return {
    id,
    verb: 'Encoding',
    share,
    subject: `${what} of format ${formats}`,
    summary: `${what} of ${formats}`,
    ...(targets !== undefined && { targets }),
    submit: (summary, context, priority) =>
      containerActivities(priority).encode.executeWithOptions({ summary }, [{ ...request, part }, context]),
    resultOf(result) {
      const found =
        'part' in result && result.part !== undefined ? resultOf(result.part, result.identity ?? {}) : undefined;
      if (found !== undefined) return found;
      throw ApplicationFailure.nonRetryable(
        `The container answered the ${what} with the result of another job`,
        'UnexpectedReply',
      );
    },
  };
}

export function planStep(request: EncodeActivityInput, part: PlanPart, share: Share): Step<Planned> {
  return partStep(request, part, { id: 'plan', share, what: 'plan' }, (result, identity) => {
    if (result.kind === 'plan') return { ...result, identity };
    return result.kind === 'whole' ? result : undefined;
  });
}

/** A segment of all films, and the place of its files. */
export interface SegmentRequest {
  index: number;
  range: SegmentRange;
  total: number;
  plan: Extract<Planned, { kind: 'plan' }>;
  store: string;
  runKey: string;
  /** A second job for a slow segment, or for a slow sound. */
  isCopy: boolean;
}

export function segmentStep(request: EncodeActivityInput, segment: SegmentRequest, share: Share): Step<SegmentFile[]> {
  const { index, range, total, plan, store, runKey, isCopy } = segment;
  const { films, identity, opening, encoder, inputsSha256, crfs, times } = plan;
  const ownName = isCopy ? copyName : '';
  const prefix = segmentPrefix(store, runKey, index) + ownName;
  const id = isCopy ? segmentCopyId(index) : segmentId(index);
  const what = `${isCopy ? 'second job for ' : ''}segment ${index + 1} of ${total}`;
  const part = { kind: 'segment', ...range, source: identity, opening, encoder, inputsSha256, crfs, times } as const;
  return partStep(request, part, { id, share, what, targets: [{ prefix }] }, (result) => {
    const count = range.to - range.from;
    const isAsked = result.kind === 'segment' && result.files.length === films;
    if (!isAsked || !result.files.every(({ frames }) => frames === count)) return undefined;
    return result.files.map((file) => ({ ...file, name: ownName + file.name }));
  });
}

/**
 * The whole sound of all outputs, beside the segments. It may have fewer files than the plan says: the plan counts no
 * samples, and does not know whether the sound ends before an output begins.
 */
export function soundStep(
  request: EncodeActivityInput,
  { plan, store, runKey, isCopy }: Omit<SegmentRequest, 'index' | 'range' | 'total'>,
  share: Share,
): Step<SoundFile[]> {
  const { identity, inputsSha256 } = plan;
  const part = { kind: 'sound', source: identity, inputsSha256 } as const;
  const ownName = isCopy ? copyName : '';
  const targets = [{ prefix: soundPrefix(store, runKey) + ownName }];
  const [id, what] = isCopy ? [soundCopyId, 'second job for the sound'] : [soundId, 'sound'];
  return partStep(request, part, { id, share, what, targets }, (result) =>
    result.kind === 'sound' ? result.files.map((file) => ({ ...file, name: ownName + file.name })) : undefined,
  );
}
