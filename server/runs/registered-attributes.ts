import type { Client } from '@temporalio/client';
import { hasGrpcStatus } from '../../client/grpc-status.ts';
import { checkSearchAttributes } from '../../contract/search-attributes.ts';

/** The attributes may be registered while the server runs. */
const freshMs = 60_000;

/** Holdfast's search attributes that Temporal has registered. Temporal rejects a run with any other attribute. */
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
    const answer = await connection.operatorService.listSearchAttributes({ namespace }).catch((error: unknown) => {
      // Some servers list attributes only to their operators.
      if (hasGrpcStatus(error, 'PERMISSION_DENIED', 'UNIMPLEMENTED')) return { customAttributes: null };
      throw error;
    });
    this.#names = new Set(checkSearchAttributes(answer.customAttributes ?? {}).usable);
    this.#readAtMs = performance.now();
    return this.#names;
  }
}
