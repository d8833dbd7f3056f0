import { setTimeout as delay } from 'node:timers/promises';
import { type Client, isGrpcDeadlineError, type WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import {
  type LimiterDetails,
  type LimitsOverride,
  type ThrottleOverride,
  limiterQueries,
  limiterSignals,
  limiterWorkflowId,
} from '../../contract/limiter.ts';
import { ClientError } from '../client-error.ts';
import { hasGrpcStatus } from '../grpc-status.ts';

/** A loaded worker replays a limiter's history within this time. */
const answerTimeoutMs = 15_000;
const pollMs = 100;

/** An operator's access to the limiter of one provider key. Errors are ClientErrors. */
export class LimiterHandle {
  readonly key: string;
  readonly environment: string;
  readonly #client: Client;
  readonly #workflow: WorkflowHandle;

  constructor(client: Client, environment: string, key: string) {
    this.key = key;
    this.environment = environment;
    this.#client = client;
    this.#workflow = client.workflow.getHandle(this.workflowId);
  }

  get workflowId(): string {
    return limiterWorkflowId(this.environment, this.key);
  }

  /** Id of the current run; throws if the limiter is not running. */
  async runId(): Promise<string> {
    const { status, runId } = await this.#call(() => this.#workflow.describe());
    if (status.name === 'RUNNING') return runId;
    throw new ClientError(
      { kind: 'limiter_ended' },
      `The limiter of ${this.key} (${this.workflowId}) is not running (${status.name.toLowerCase()}). It starts with the next run that uses the key.`,
    );
  }

  async details(timeoutMs = answerTimeoutMs): Promise<LimiterDetails> {
    return await this.#call(() => this.#workflow.query<LimiterDetails>(limiterQueries.details), timeoutMs);
  }

  async throttle(throttle: ThrottleOverride): Promise<void> {
    await this.#call(() => this.#workflow.signal(limiterSignals.throttle, throttle));
  }

  async resume(): Promise<void> {
    await this.#call(() => this.#workflow.signal(limiterSignals.resume));
  }

  async setLimits(limits: LimitsOverride): Promise<void> {
    await this.#call(() => this.#workflow.signal(limiterSignals.setLimits, limits));
  }

  /** Signals are asynchronous: polls until the limiter's details show the change. */
  async waitForDetails(isExpected: (details: LimiterDetails) => boolean): Promise<LimiterDetails> {
    const deadlineMs = Date.now() + answerTimeoutMs;
    for (;;) {
      const details = await this.details();
      if (isExpected(details)) return details;
      if (Date.now() > deadlineMs) {
        throw new ClientError(
          { kind: 'limiter_change_unconfirmed' },
          `The limiter of ${this.key} received the change but does not show it yet. Check again in a moment.`,
        );
      }
      await delay(pollMs);
    }
  }

  async #call<T>(request: () => Promise<T>, timeoutMs = answerTimeoutMs): Promise<T> {
    try {
      return await this.#client.withDeadline(Date.now() + timeoutMs, request);
    } catch (error) {
      throw this.#explain(error) ?? error;
    }
  }

  #explain(error: unknown): ClientError | undefined {
    if (error instanceof WorkflowNotFoundError) {
      return new ClientError(
        { kind: 'limiter_not_found', key: this.key },
        `No limiter of ${this.key} exists in the environment "${this.environment}" (${this.workflowId}).`,
      );
    }
    const cause = error instanceof Error ? error.cause : undefined;
    // No worker polls.
    if (!hasGrpcStatus(cause, 'FAILED_PRECONDITION') && !isGrpcDeadlineError(cause)) return undefined;
    return new ClientError(
      { kind: 'limiter_not_served' },
      `The limiter of ${this.key} does not respond: no worker serves it.`,
    );
  }
}
