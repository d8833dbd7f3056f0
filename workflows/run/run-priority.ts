import { CancellationScope, isCancellation, upsertMemo } from '@temporalio/workflow';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import { priorityOf, type TaskPriority } from '../../contract/workflow/priority.ts';

/** An activity that queues for a container. */
export interface QueuedActivity<Result> {
  activity: Promise<Result>;
  /** Whether the activity was cancelled only because the run's priority changed, so that it must be scheduled again. */
  wasGivenUp(error: unknown): boolean;
  leave(): void;
}

/**
 * The priority of a run in the queues of containers and providers. It may change while an activity is queued. Temporal
 * cannot change the priority of a scheduled activity, so the activity is cancelled and scheduled again.
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

  /** `moves`: reschedules queued activities, which would otherwise keep their place. It must be false while a job runs. */
  change(priorityKey: number, moves: boolean): void {
    if (priorityKey === this.#current?.priorityKey) return;
    this.#current = { ...this.#current, priorityKey };
    upsertMemo({ priority: priorityKey });
    if (moves) for (const place of this.#places) place.cancel();
  }

  /** Returns the activity's own promise, so that the caller resumes in the same turn as without this wrapper. */
  enter<Result>(schedule: (priority: TaskPriority | undefined) => Promise<Result>): QueuedActivity<Result> {
    const run = CancellationScope.current();
    const scope = new CancellationScope();
    let scheduled: Promise<Result> | undefined;
    const ended = scope.run(async () => {
      scheduled = schedule(this.#current);
      await scheduled;
    });
    // The caller handles the error of the activity itself.
    ended.catch(() => undefined);
    if (scheduled === undefined) throw new Error('The activity was not scheduled synchronously');
    this.#places.add(scope);
    return {
      activity: scheduled,
      wasGivenUp: (error) => isCancellation(error) && scope.consideredCancelled && !run.consideredCancelled,
      leave: () => void this.#places.delete(scope),
    };
  }

  inputOf<Input extends CommonInput>(input: Input): Input {
    const priority = this.#current?.priorityKey;
    return priority === undefined ? input : { ...input, priority };
  }
}
