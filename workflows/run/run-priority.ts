import { CancellationScope, isCancellation, upsertMemo } from '@temporalio/workflow';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import { priorityOf, type TaskPriority } from '../../contract/workflow/priority.ts';

/** A place in the line for a container. */
export interface LinePlace<Result> {
  activity: Promise<Result>;
  /** Whether it ended only because the run's priority has changed, so that another place is to be taken. */
  wasGivenUp(error: unknown): boolean;
  leave(): void;
}

/**
 * The priority of a run in the queues of containers and providers, which may change while it stands in one. Temporal changes that of no
 * activity: it is scheduled anew.
 */
export class RunPriority {
  #current: TaskPriority | undefined;
  readonly #places = new Set<CancellationScope>();

  constructor(input: CommonInput) {
    this.#current = priorityOf(input);
  }

  get current(): TaskPriority | undefined {
    return this.#current;
  }

  /** `moves`: of a run that stands in the line, which would keep its place otherwise. Of one at work it would end the job. */
  change(priorityKey: number, moves: boolean): void {
    if (priorityKey === this.#current?.priorityKey) return;
    this.#current = { ...this.#current, priorityKey };
    upsertMemo({ priority: priorityKey });
    if (moves) for (const place of this.#places) place.cancel();
  }

  /** The activity's own promise is passed on, so that whoever waits for it goes on at the same moment as without this. */
  enter<Result>(schedule: (priority: TaskPriority | undefined) => Promise<Result>): LinePlace<Result> {
    const run = CancellationScope.current();
    const scope = new CancellationScope();
    let scheduled: Promise<Result> | undefined;
    const ended = scope.run(async () => {
      scheduled = schedule(this.#current);
      await scheduled;
    });
    // Whoever waits for the activity has its error.
    ended.catch(() => undefined);
    if (scheduled === undefined) throw new Error('an activity was not scheduled at once');
    this.#places.add(scope);
    return {
      activity: scheduled,
      wasGivenUp: (error) => isCancellation(error) && scope.consideredCancelled && !run.consideredCancelled,
      leave: () => void this.#places.delete(scope),
    };
  }

  /** For the run that goes on as this one. */
  inputOf<Input extends CommonInput>(input: Input): Input {
    const priority = this.#current?.priorityKey;
    return priority === undefined ? input : { ...input, priority };
  }
}
