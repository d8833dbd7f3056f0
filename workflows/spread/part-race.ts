import { CancellationScope } from '@temporalio/workflow';

/** Jobs that do the same work. The first one that succeeds wins, and the others are cancelled. */
export class PartRace<Result> {
  /** Result of the winner. Rejects with the failure of the first job if no job succeeds. */
  readonly won: Promise<Result>;
  readonly #settle = Promise.withResolvers<Result>();
  readonly #scopes = new Set<CancellationScope>();
  #failure: { error: unknown } | undefined;
  #isOver = false;
  #hasWinner = false;

  constructor() {
    this.won = this.#settle.promise;
    // The lane may await the promise only after it has rejected.
    this.won.catch(() => undefined);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get hasWinner(): boolean {
    return this.#hasWinner;
  }

  /** Runs a job until it ends or another one wins, and returns whether it has won. A failure becomes that of the race. */
  async enter(work: () => Promise<Result>, { isFirst }: { isFirst: boolean }): Promise<boolean> {
    const scope = new CancellationScope();
    this.#scopes.add(scope);
    try {
      const result = await scope.run(work);
      this.#scopes.delete(scope);
      if (this.#isOver) return false;
      this.#hasWinner = true;
      this.#settle.resolve(result);
      this.#end();
      return true;
    } catch (error) {
      this.#scopes.delete(scope);
      if (isFirst || this.#failure === undefined) this.#failure = { error };
      if (this.#scopes.size === 0) this.stop(this.#failure.error);
      return false;
    }
  }

  /** Ends the race without a winner. */
  stop(error: unknown): void {
    this.#settle.reject(error);
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    for (const scope of this.#scopes) scope.cancel();
  }
}
