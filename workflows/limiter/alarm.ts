import { CancellationScope, sleep } from '@temporalio/workflow';

/**
 * A timer that is only ever moved earlier. An occasional early ring adds less history than moving the timer each time.
 */
export class Alarm {
  readonly #ring: () => void;
  readonly #parent = CancellationScope.current();
  #setForMs = Infinity;
  #scope: CancellationScope | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  ringBy(atMs: number): void {
    if (atMs >= this.#setForMs) return;
    this.#scope?.cancel();
    const scope = new CancellationScope({ cancellable: true, parent: this.#parent });
    this.#scope = scope;
    this.#setForMs = atMs;
    // Rejects when the alarm is moved earlier and when the run is cancelled.
    void this.#sleepAndRing(scope, atMs).catch(() => undefined);
  }

  async #sleepAndRing(scope: CancellationScope, atMs: number): Promise<void> {
    await scope.run(() => sleep(Math.max(1, Math.ceil(atMs - Date.now()))));
    this.#setForMs = Infinity;
    this.#scope = undefined;
    this.#ring();
  }
}
