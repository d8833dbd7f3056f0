import { setTimeout as delay } from 'node:timers/promises';
import { type Client, isGrpcDeadlineError, isGrpcServiceError, type WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import {
  type LimiterDetails,
  type LimitsOverride,
  type ThrottleOverride,
  limiterQueries,
  limiterSignals,
  limiterWorkflowId,
} from '../../contract/limiter.ts';
import { CliError } from '../cli-error.ts';

/** Longer than a loaded worker takes to read a limiter's history again. */
const answerMs = 15_000;
const pollMs = 100;

/** Of @grpc/grpc-js, which the SDK does not pass on: a query where no worker polls. */
const failedPrecondition = 9;

/** One limiter as a person deals with it; what goes wrong comes out as a sentence for them. */
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

  /** Of its present run; throws where there is none. */
  async runId(): Promise<string> {
    const { status, runId } = await this.#asked(() => this.#workflow.describe());
    if (status.name === 'RUNNING') return runId;
    throw new CliError(
      `The limiter of ${this.key} (${this.workflowId}) has ended: it is ${status.name.toLowerCase()}. It starts again with the next run that uses the key.`,
    );
  }

  async details(): Promise<LimiterDetails> {
    return await this.#asked(() => this.#workflow.query<LimiterDetails>(limiterQueries.details));
  }

  async throttle(throttle: ThrottleOverride): Promise<void> {
    await this.#asked(() => this.#workflow.signal(limiterSignals.throttle, throttle));
  }

  async resume(): Promise<void> {
    await this.#asked(() => this.#workflow.signal(limiterSignals.resume));
  }

  async setLimits(limits: LimitsOverride): Promise<void> {
    await this.#asked(() => this.#workflow.signal(limiterSignals.setLimits, limits));
  }

  /** Signals come to the limiter in their own time. */
  async untilShown(isShown: (details: LimiterDetails) => boolean): Promise<LimiterDetails> {
    const deadlineMs = Date.now() + answerMs;
    for (;;) {
      const details = await this.details();
      if (isShown(details)) return details;
      if (Date.now() > deadlineMs) {
        throw new CliError(
          `The limiter of ${this.key} was told, but does not show the change yet. Look again in a moment.`,
        );
      }
      await delay(pollMs);
    }
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await this.#client.withDeadline(Date.now() + answerMs, ask);
    } catch (error) {
      throw this.#sentence(error) ?? error;
    }
  }

  #sentence(error: unknown): CliError | undefined {
    if (error instanceof WorkflowNotFoundError) {
      return new CliError(
        `There is no limiter of ${this.key} in the environment "${this.environment}" (${this.workflowId}). ` +
          `It starts with the first run that uses the key: npm run process -- talk.wav --provider ${this.key}`,
      );
    }
    const cause = error instanceof Error ? error.cause : undefined;
    // oxlint-disable-next-line typescript/no-unsafe-enum-comparison
    const noPoller = isGrpcServiceError(cause) && cause.code === failedPrecondition;
    if (!noPoller && !isGrpcDeadlineError(cause)) return undefined;
    return new CliError(
      `The limiter of ${this.key} does not answer: no worker takes care of it. \`npm start\` or \`npm run worker\` starts one.`,
    );
  }
}
