import { CancellationScope, condition, log, patched } from '@temporalio/workflow';
import type { EncodeActivityInput } from '../../contract/activity.ts';
import type { SegmentFile, SoundFile } from '../../contract/http/part.ts';
import { segmentCopyId, segmentId, soundCopyId, soundId, type SpreadSettings } from '../../contract/spread-settings.ts';
import { spreadSettings } from '../proxies.ts';
import { historyIsLong } from '../run/long-history.ts';
import { newRetryState, type RetryState, sumCounts } from '../run/retry-state.ts';
import { runStep } from '../run/run-step.ts';
import type { Run } from '../run/run.ts';
import type { Share } from '../status/step-status.ts';
import { askElsewhere, isOtherEncoder } from './ask-elsewhere.ts';
import { PartCopies } from './part-copies.ts';
import { segmentStep, soundStep } from './part-steps.ts';
import { failureOfStoredPart, isOfParts } from './spread-failures.ts';
import type { SpreadProgress } from './spread-progress.ts';

type Segments = Extract<SpreadProgress, { kind: 'segments' }>;

/** Ends a lane whose run is about to continue as new. */
class Paused extends Error {
  override readonly name = 'Paused';
}

/**
 * Encodes the sound, and the segments that have no files, at most `lanesOf` the settings at a time. The settings are
 * read again when a segment ends, because containers come and go. The sound is first, so that it ends before the last
 * segment. A failure cancels the others. If the history is too long, no further segment starts, those under way end or
 * reach their next wait, and the run continues as new.
 */
export async function encodeSegments(
  request: EncodeActivityInput,
  progress: Segments,
  lanesOf: (settings: SpreadSettings) => number,
  run: Run,
  share: Share,
  continueAsNew: (progress: SpreadProgress) => Promise<never>,
): Promise<Pick<Segments, 'files' | 'sound'>> {
  const { plan, store } = progress;
  const files = { ...progress.files };
  const states: Record<number, RetryState> = { ...progress.states };
  let isPausing = false;
  const total = plan.segments.length;
  // Segments that were under way come first: their jobs may still run.
  const left = plan.segments
    .map((range, index) => ({ range, index }))
    .filter(({ index }) => files[index] === undefined)
    .toSorted((one, other) => Number(states[other.index] !== undefined) - Number(states[one.index] !== undefined));

  for (const index of Object.keys(files).map(Number)) {
    run.status.restoreDone(segmentId(index), shareOfSegment(share, index, total));
  }

  const encode = async ({ range, index }: (typeof left)[number], isCopy: boolean): Promise<SegmentFile[]> => {
    const { from, to } = shareOfSegment(share, index, total);
    const step = segmentStep(
      request,
      { index, range, total, plan, store, runKey: run.key, isCopy },
      // The segment's own step has its share of the progress.
      { from, to: isCopy ? from : to },
    );
    const state = isCopy ? undefined : states[index];
    const ended = await askElsewhere(
      step.subject,
      () =>
        runStep(copies?.timed(step) ?? step, state ?? newRetryState(), run, async (state) => {
          if (!isCopy) states[index] = state;
          isPausing = true;
          throw new Paused();
        }),
      () => run.status.queueAttempt(step.id, 1, 0),
    );
    progress.counts = sumCounts(progress.counts, ended.counts);
    return ended.result;
  };
  // Runs that an older version started keep their initial number of lanes.
  const hasOtherLanesLater = patched('spread-lanes-follow-the-fleet');
  // In runs of older versions, a container with other encoders that has vanished still takes a lane.
  const refusedLanesVanish = patched('refused-lanes-vanish-with-containers');
  /** Lanes that have ended because only containers with other encoders were free. */
  let refusedLanes = 0;
  const lanes = (): number => Math.max(1, lanesOf(progress.settings) - refusedLanes);
  const askAnew = async (): Promise<void> => {
    if (isPausing || left.length === 0) return;
    // The activity takes milliseconds. If it is cancelled as it ends, Temporal's test server answers nothing any more.
    const settings = await CancellationScope.nonCancellable(spreadSettings);
    const before = progress.settings;
    progress.settings = { ...before, ...settings };
    // A run with a limit of its own may have as many lanes as before.
    const fewerContainers = (before.containers ?? 0) - (progress.settings.containers ?? 0);
    const vanished = Math.max(0, lanesOf(before) - lanesOf(progress.settings), fewerContainers);
    // The container that has vanished may be one that refused. If it is not, the other refuses again.
    if (refusedLanesVanish) refusedLanes = Math.max(0, refusedLanes - vanished);
  };
  // Runs of older versions have no second jobs.
  const copies = patched('slow-segments-have-copies')
    ? new PartCopies({
        run,
        lanes,
        hasMore: () => isPausing || left.length > 0,
        isFinal: (error) => error instanceof Paused,
      })
    : undefined;
  const encodeSegment = async (segment: (typeof left)[number]): Promise<SegmentFile[]> => {
    if (copies === undefined) return await encode(segment, false);
    const { index, range } = segment;
    const part = {
      kind: 'segment',
      name: `Segment ${index + 1}`,
      id: segmentId(index),
      copyId: segmentCopyId(index),
      pictures: range.to - range.from,
      onCopy: () => (progress.copied = [...new Set([...(progress.copied ?? []), index])]),
    } as const;
    return await copies.encode(part, (isCopy) => encode(segment, isCopy));
  };
  let underWay = 0;
  const isFull = (): boolean => {
    const [next] = left;
    if (!hasOtherLanesLater || isPausing || next === undefined || underWay < lanes()) return false;
    // A job from before the run continued as new may still run, and needs no further container.
    return states[next.index]?.attemptState.location === undefined;
  };
  let { sound, soundState } = progress;
  const isSoundLeft = plan.sounds !== undefined && sound === undefined && patched('spread-sound-has-a-step');
  const soundMayBeSlow = isSoundLeft && patched('slow-sound-has-a-copy');
  const encodeSound = async (isCopy: boolean): Promise<SoundFile[]> => {
    const step = soundStep(request, { plan, store, runKey: run.key, isCopy }, { from: share.from, to: share.from });
    const timed = soundMayBeSlow ? copies?.timed(step) : undefined;
    const state = isCopy ? undefined : soundState;
    const ended = await runStep(timed ?? step, state ?? newRetryState(), run, async (state) => {
      if (!isCopy) soundState = state;
      isPausing = true;
      throw new Paused();
    });
    progress.counts = sumCounts(progress.counts, ended.counts);
    return ended.result;
  };
  const makeSound = async (): Promise<void> => {
    const part = {
      kind: 'sound',
      name: 'The sound',
      id: soundId,
      ...(soundMayBeSlow && { copyId: soundCopyId }),
      // An encoder of sound is much faster than one of pictures.
      pictures: Math.max(...plan.segments.map(({ from, to }) => to - from)),
      onCopy: () => (progress.isSoundCopied = true),
    } as const;
    underWay += 1;
    try {
      sound = await (copies?.encode(part, encodeSound) ?? encodeSound(false));
    } catch (error) {
      if (error instanceof Paused) return;
      if (!isOfParts(error)) throw error;
      log.info('The join makes the sound, because its own step has failed', { error });
      run.status.forgetStep(soundId);
      sound = [];
    } finally {
      underWay -= 1;
    }
  };
  const lane = async (): Promise<void> => {
    for (;;) {
      // Several lanes may wait for one place, so each of them checks again.
      while (isFull()) await condition(() => !isFull());
      const next = isPausing ? undefined : left.shift();
      if (next === undefined) return;
      underWay += 1;
      try {
        files[next.index] = await encodeSegment(next);
        delete states[next.index];
        // Progress signals alone fill a history.
        if (left.length > 0 && historyIsLong()) isPausing = true;
        // The lane is taken until the answer arrives.
        if (hasOtherLanesLater) await askAnew();
      } catch (error) {
        if (error instanceof Paused) continue;
        // The containers with the right encoders are busy. Their lanes encode this segment too.
        if (!isOtherEncoder(error) || underWay === 1) throw error;
        if (hasOtherLanesLater) refusedLanes += 1;
        left.push(next);
        return;
      } finally {
        underWay -= 1;
      }
    }
  };
  const scope = new CancellationScope();
  await scope.run(async () => {
    const soundLanes = isSoundLeft ? [makeSound().then(lane)] : [];
    const most = hasOtherLanesLater ? Infinity : lanes();
    const count = Math.min(most, soundLanes.length + left.length) - soundLanes.length;
    const running = [...soundLanes, ...Array.from({ length: count }, lane)];
    const watching = copies?.watch();
    try {
      await Promise.all([Promise.all(running).finally(() => copies?.end()), watching]);
    } catch (error) {
      scope.cancel();
      await Promise.allSettled([...running, watching]);
      // A container may have accepted a job that nobody follows now.
      await run.jobs.cancelRunning();
      throw failureOfStoredPart(error);
    }
  });
  const ended = { files, ...(sound !== undefined && { sound }) };
  if (isPausing)
    await continueAsNew({ ...progress, ...ended, states, ...(soundState !== undefined && { soundState }) });
  return ended;
}

/** Part of the run's progress that a segment has. */
export function shareOfSegment({ from, to }: Share, index: number, total: number): Share {
  const width = (to - from) / total;
  return { from: from + index * width, to: from + (index + 1) * width };
}
