import { type Client, isGrpcServiceError } from '@temporalio/client';
import { checkSearchAttributes } from '../../contract/search-attributes.ts';

/** The attributes may be registered while the server runs. */
const freshMs = 60_000;

/** gRPC's PERMISSION_DENIED and UNIMPLEMENTED: some servers list attributes only to their operators. */
const refusals = new Set<number>([7, 12]);

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
      if (isGrpcServiceError(error) && refusals.has(error.code)) return { customAttributes: null };
      throw error;
    });
    this.#names = new Set(checkSearchAttributes(answer.customAttributes ?? {}).usable);
    this.#readAtMs = performance.now();
    return this.#names;
  }
}
