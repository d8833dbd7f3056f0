import { CancellationScope, condition, log, sleep } from '@temporalio/workflow';
import type { Run } from '../run/run.ts';
import type { Step } from '../run/step.ts';
import { runMetrics } from '../status/counters.ts';
import { clockTime } from '../status/wait-text.ts';
import { PartRace } from './part-race.ts';
import { SegmentPaces } from './segment-paces.ts';

/** What a job makes: a segment, or the sound beside the films. */
interface Part {
  kind: 'segment' | 'sound';
  /** Name in logs, such as "Segment 3". */
  name: string;
  /** Id of the step of the first job. */
  id: string;
  /** Id of the step of the second job, the copy. Undefined: there is none, however slow the first job is. */
  copyId?: string;
  /** The job is slow if the other segments have much shorter jobs for as many pictures. */
  pictures: number;
  /** Called when a copy starts. From then on, the copy may store files. */
  onCopy: () => void;
}

type Encode<Result> = (isCopy: boolean) => Promise<Result>;

interface PartUnderWay {
  part: Part;
  race: { readonly isOver: boolean };
  startCopy: () => Promise<void>;
}

interface Options {
  run: Pick<Run, 'jobs' | 'status'>;
  /** Jobs at a time, with the copies. */
  lanes: () => number;
  /** True while segments are left that no lane has begun. A copy must not come before them. */
  hasMore: () => boolean;
  /** Whether this failure of the first job also ends the copy. */
  isFinal: (error: unknown) => boolean;
}

/**
 * Encodes segments, and the sound. Once no other segment is left and a lane is free, a slow job gets a second one, its
 * copy. The first job that succeeds counts. The other job is cancelled.
 */
export class PartCopies {
  readonly #options: Options;
  readonly #paces = new SegmentPaces();
  readonly #underWay = new Map<string, PartUnderWay>();
  readonly #copies = new Map<string, Promise<void>>();
  #jobs = 0;
  /** Number of changes that may affect the choice of the next copy. */
  #changes = 0;
  #isEnding = false;

  constructor(options: Options) {
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

  /** Encodes a part with one job, or with two if the first one is slow. */
  async encode<Result>(part: Part, encode: Encode<Result>): Promise<Result> {
    const race = new PartRace<Result>();
    const { id } = part;
    this.#underWay.set(id, { part, race, startCopy: () => this.#enter(part, race, encode, true) });
    const first = this.#enter(part, race, encode, false);
    try {
      return await race.won;
    } finally {
      this.#underWay.delete(id);
      this.#changes += 1;
      // The run removes the files of both jobs later, so none may be stored after that.
      await first;
      await this.#copies.get(id);
    }
  }

  /** Starts copies until `end` is called. */
  async watch(): Promise<void> {
    while (!this.#isEnding) {
      const seen = this.#changes;
      const hasChanged = (): boolean => this.#changes !== seen || this.#isEnding;
      const next = this.#next();
      if (next === undefined) await condition(hasChanged);
      else if (next.slowAtMs > Date.now()) await untilSlow(next.part, next.slowAtMs, hasChanged);
      else this.#copy(next);
    }
  }

  end(): void {
    this.#isEnding = true;
  }

  /** The part that becomes slow first; undefined if none can get a copy now. */
  #next(): (PartUnderWay & { slowAtMs: number }) | undefined {
    if (this.#options.hasMore() || this.#jobs >= this.#options.lanes()) return undefined;
    const candidates = [...this.#underWay.values()].flatMap((one) => {
      const { id, copyId, pictures } = one.part;
      if (copyId === undefined || this.#copies.has(id) || one.race.isOver) return [];
      const slowAtMs = this.#paces.slowAtMs(id, pictures);
      return slowAtMs === undefined ? [] : [{ ...one, slowAtMs }];
    });
    return candidates.toSorted((one, other) => one.slowAtMs - other.slowAtMs)[0];
  }

  #copy({ part, startCopy }: PartUnderWay): void {
    const { kind, id, copyId, name, onCopy } = part;
    log.info(`${name} takes much longer than the others. A second job encodes it too`, { step: copyId });
    if (kind === 'segment') runMetrics.countSegmentCopy();
    onCopy();
    this.#copies.set(id, startCopy());
  }

  async #enter<Result>(part: Part, race: PartRace<Result>, encode: Encode<Result>, isCopy: boolean): Promise<void> {
    const { run, isFinal } = this.#options;
    const { kind, pictures } = part;
    const id = isCopy ? (part.copyId ?? part.id) : part.id;
    this.#jobs += 1;
    const work = async (): Promise<Result> => {
      try {
        const result = await encode(isCopy);
        // The time of the sound says nothing about the time of a segment.
        if (kind === 'segment') this.#paces.end(id, pictures, Date.now());
        else this.#paces.leave(id);
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
      if (kind === 'segment') runMetrics.countSegment(isCopy ? 'second' : 'first');
      if (isCopy) run.status.endStep(part.id, 'done', 0);
    } else if (isCopy || race.hasWinner) {
      // A container may have accepted a job that nobody follows now. The run waits for the answer only at its end. If the
      // run continues as new, its next run follows the first job again.
      void run.jobs.cancelJobOf(id);
    }
    if (isCopy) run.status.forgetStep(id);
  }
}

async function untilSlow({ name }: Part, slowAtMs: number, hasChanged: () => boolean): Promise<void> {
  const scope = new CancellationScope();
  const summary = `${name} gets a second job unless it ends before ${clockTime(slowAtMs)}`;
  await scope.run(() => Promise.race([condition(hasChanged), sleep(slowAtMs - Date.now(), { summary })]));
  scope.cancel();
}
