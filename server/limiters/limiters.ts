import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import { changeLimiter, type LimiterChange } from '../../client/limiter/change-limiter.ts';
import { LimiterHandle } from '../../client/limiter/limiter-handle.ts';
import { allOf, quote } from '../../client/visibility-query.ts';
import { limiterWorkflowId, limiterWorkflowType } from '../../contract/limiter.ts';
import { ProviderKey } from '../../contract/provider.ts';
import type { LimiterEntry } from '../../contract/server/limiters.ts';
import { ProblemError } from '../problem-error.ts';
import { withRequestDeadline } from '../request-deadline.ts';

/** A worker answers each query. */
const queriesAtOnce = 8;
const mostLimiters = 200;

export class Limiters {
  readonly #client: Client;
  readonly #environment: string;

  constructor(client: Client, environment: string) {
    this.#client = client;
    this.#environment = environment;
  }

  /** `withinMs` is the time for all limiters together. A limiter that does not answer in time is listed with a problem. */
  async list(problemOf: (error: unknown) => ProblemError, withinMs?: number): Promise<LimiterEntry[]> {
    const endMs = withinMs === undefined ? undefined : Date.now() + withinMs;
    const read = async (key: string): Promise<LimiterEntry> => {
      try {
        const timeoutMs = endMs === undefined ? undefined : endMs - Date.now();
        return { key, details: await this.#handle(key).details(timeoutMs) };
      } catch (error) {
        return { key, problem: problemOf(error).toBody() };
      }
    };
    return await pMap(await withRequestDeadline(this.#client, () => this.#keys()), read, {
      concurrency: queriesAtOnce,
    });
  }

  async change(key: string, change: LimiterChange): Promise<LimiterEntry> {
    if (!ProviderKey.safeParse(key).success) throw new ProblemError('not_found', 'There is no limiter with this key.');
    return { key, details: await changeLimiter(this.#handle(key), change) };
  }

  #handle(key: string): LimiterHandle {
    return new LimiterHandle(this.#client, this.#environment, key);
  }

  async #keys(): Promise<string[]> {
    const prefix = limiterWorkflowId(this.#environment, '');
    const query = allOf([
      `WorkflowType = ${quote(limiterWorkflowType)}`,
      `ExecutionStatus = 'Running'`,
      `WorkflowId STARTS_WITH ${quote(prefix)}`,
    ]);
    const keys: string[] = [];
    for await (const { workflowId } of this.#client.workflow.list({ query, pageSize: mostLimiters })) {
      keys.push(workflowId.slice(prefix.length));
      if (keys.length >= mostLimiters) break;
    }
    return keys.toSorted();
  }
}
