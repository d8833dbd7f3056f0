import { EventEmitter, once } from 'node:events';
import type {
  CustomSlotSupplier,
  SlotPermit,
  SlotReleaseContext,
  SlotReserveContext,
  WorkflowSlotInfo,
} from '@temporalio/worker';

/** Tasks of runs in this worker's memory at a time; the SDK's default for all tasks. */
const stickyTasks = 40;

interface Permit extends SlotPermit {
  isSticky: boolean;
}

/**
 * Slots for workflow tasks. A task that is not sticky may replay thousands of events, which takes seconds in the one
 * thread for workflows. Replays that take turns all end late: after 10 s the server gives each task to a worker again,
 * and the replay was in vain. A worker that restarted with a dozen long runs never got further. So they run one by one.
 */
export class WorkflowSlots implements CustomSlotSupplier<WorkflowSlotInfo> {
  readonly type = 'custom';
  readonly #free = { sticky: stickyTasks, other: 1 };
  readonly #changes = new EventEmitter().setMaxListeners(0);

  async reserveSlot({ isSticky }: Pick<SlotReserveContext, 'isSticky'>, signal: AbortSignal): Promise<Permit> {
    const kind = isSticky ? 'sticky' : 'other';
    while (this.#free[kind] === 0) await once(this.#changes, kind, { signal });
    this.#free[kind] -= 1;
    return { isSticky };
  }

  /** Only a poll may take a slot. */
  tryReserveSlot(): null {
    return null;
  }

  markSlotUsed(): void {}

  releaseSlot({ permit }: Pick<SlotReleaseContext<WorkflowSlotInfo>, 'permit'>): void {
    const kind = (permit as Permit).isSticky ? 'sticky' : 'other';
    this.#free[kind] += 1;
    this.#changes.emit(kind);
  }
}
