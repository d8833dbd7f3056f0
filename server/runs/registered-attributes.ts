import type { Client } from '@temporalio/client';
import { checkSearchAttributes } from '../../contract/search-attributes.ts';

/** Somebody may register them while the server runs. */
const freshMs = 60_000;

/** Which of our search attributes Temporal has: a run cannot be started with another. */
export class RegisteredAttributes {
  readonly #client: Client;
  #names: ReadonlySet<string> = new Set();
  #readAtMs: number | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async names(): Promise<ReadonlySet<string>> {
    if (this.#readAtMs !== undefined && performance.now() - this.#readAtMs < freshMs) return this.#names;
    const { connection, options } = this.#client;
    const { namespace } = options;
    // Some servers tell nobody but their operators. What was known before is still the best guess.
    const answer = await connection.operatorService.listSearchAttributes({ namespace }).catch(() => undefined);
    if (answer !== undefined) this.#names = new Set(checkSearchAttributes(answer.customAttributes ?? {}).usable);
    this.#readAtMs = performance.now();
    return this.#names;
  }
}
