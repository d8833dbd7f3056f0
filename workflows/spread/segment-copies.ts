import { CancellationScope, condition, log, sleep } from '@temporalio/workflow';
import { segmentCopyId, segmentId } from '../../contract/spread-settings.ts';
import type { Run } from '../run/run.ts';
import type { Step } from '../run/step.ts';
import { runMetrics } from '../status/counters.ts';
import { clockTime } from '../status/wait-text.ts';
import { SegmentPaces } from './segment-paces.ts';
import { SegmentRace } from './segment-race.ts';

interface Segment {
  index: number;
  range: { from: number; to: number };
}

interface SlowSegment {
  segment: Segment;
  slowAtMs: number;
}

interface Options<Result> {
  run: Pick<Run, 'jobs' | 'status'>;
  /** Jobs at a time, with the copies and with other jobs of the run. */
  lanes: number;
  /** Encodes the segment by a job of its own. */
  encode: (segment: Segment, isCopy: boolean) => Promise<Result>;
  /** True while segments are left that no lane has begun. A copy must not come before them. */
  hasMore: () => boolean;
  /** Called when a copy starts. From then on, the copy may store files. */
  onCopy: (index: number) => void;
  /** Whether this failure of the first job also ends the copy. */
  isFinal: (error: unknown) => boolean;
}

/**
 * Encodes segments. Once no other segment is left and a lane is free, a slow segment gets a second job, its copy. The
 * first job that succeeds counts. The other job is cancelled.
 */
export class SegmentCopies<Result> {
  readonly #options: Options<Result>;
  readonly #paces = new SegmentPaces();
  readonly #underWay = new Map<number, { segment: Segment; race: SegmentRace<Result> }>();
  readonly #copies = new Map<number, Promise<void>>();
  #jobs = 0;
  /** Number of changes that may affect the choice of the next copy. */
  #changes = 0;
  #isEnding = false;

  constructor(options: Options<Result>) {
    this.#options = options;
  }

  /** Notes when a container accepts the job of a step. */
  timed<StepResult>(step: Step<StepResult>): Step<StepResult> {
    const { id } = step;
    return {
      ...step,
      submit: async (...request) => {
        this.#paces.leave(id);
        const submission = await step.submit(...request);
        if (submission.kind === 'accepted') this.#paces.begin(id, Date.now());
        this.#changes += 1;
        return submission;
      },
    };
  }

  /** Encodes a segment with one job, or with two if it is slow. */
  async encode(segment: Segment): Promise<Result> {
    const race = new SegmentRace<Result>();
    const { index } = segment;
    this.#underWay.set(index, { segment, race });
    const first = this.#enter(segment, race, false);
    try {
      return await race.won;
    } finally {
      this.#underWay.delete(index);
      this.#changes += 1;
      // The run removes the files of both jobs later, so none may be stored after that.
      await first;
      await this.#copies.get(index);
    }
  }

  /** Starts copies until `end` is called. */
  async watch(): Promise<void> {
    while (!this.#isEnding) {
      const seen = this.#changes;
      const hasChanged = (): boolean => this.#changes !== seen || this.#isEnding;
      const next = this.#next();
      if (next === undefined) await condition(hasChanged);
      else if (next.slowAtMs > Date.now()) await untilSlow(next, hasChanged);
      else this.#copy(next.segment, next.race);
    }
  }

  end(): void {
    this.#isEnding = true;
  }

  /** Counts a job that is no segment: while it is under way, it has a lane. */
  countOther(jobs: 1 | -1): void {
    this.#jobs += jobs;
    this.#changes += 1;
  }

  /** The segment that becomes slow first; undefined if none can get a copy now. */
  #next(): (SlowSegment & { race: SegmentRace<Result> }) | undefined {
    if (this.#options.hasMore() || this.#jobs >= this.#options.lanes) return undefined;
    const candidates = [...this.#underWay.values()].flatMap(({ segment, race }) => {
      const { index, range } = segment;
      if (this.#copies.has(index) || race.isOver) return [];
      const slowAtMs = this.#paces.slowAtMs(segmentId(index), range.to - range.from);
      return slowAtMs === undefined ? [] : [{ segment, race, slowAtMs }];
    });
    return candidates.toSorted((one, other) => one.slowAtMs - other.slowAtMs)[0];
  }

  #copy(segment: Segment, race: SegmentRace<Result>): void {
    const { index } = segment;
    log.info(`Segment ${index + 1} takes much longer than the others. A second job encodes it too`, {
      step: segmentCopyId(index),
    });
    runMetrics.countSegmentCopy();
    this.#options.onCopy(index);
    this.#copies.set(index, this.#enter(segment, race, true));
  }

  async #enter(segment: Segment, race: SegmentRace<Result>, isCopy: boolean): Promise<void> {
    const { run, encode, isFinal } = this.#options;
    const { index, range } = segment;
    const id = isCopy ? segmentCopyId(index) : segmentId(index);
    this.#jobs += 1;
    const work = async (): Promise<Result> => {
      try {
        const result = await encode(segment, isCopy);
        this.#paces.end(id, range.to - range.from, Date.now());
        return result;
      } catch (error) {
        this.#paces.leave(id);
        if (!isCopy && isFinal(error)) race.stop(error);
        throw error;
      }
    };
    const hasWon = await race.enter(work, { isFirst: !isCopy });
    this.#jobs -= 1;
    this.#changes += 1;
    if (hasWon) {
      runMetrics.countSegment(isCopy ? 'second' : 'first');
      if (isCopy) run.status.endStep(segmentId(index), 'done', 0);
    } else if (isCopy || race.hasWinner) {
      // A container may have accepted a job that nobody follows now. The run waits for the answer only at its end. If the
      // run continues as new, its next run follows the first job again.
      void run.jobs.cancelJobOf(id);
    }
    if (isCopy) run.status.forgetStep(id);
  }
}

async function untilSlow({ segment, slowAtMs }: SlowSegment, hasChanged: () => boolean): Promise<void> {
  const scope = new CancellationScope();
  const summary = `Segment ${segment.index + 1} gets a second job unless it ends before ${clockTime(slowAtMs)}`;
  await scope.run(() => Promise.race([condition(hasChanged), sleep(slowAtMs - Date.now(), { summary })]));
  scope.cancel();
}
