import type { Client, WorkflowHandle } from '@temporalio/client';
import {
  type LimiterDetails,
  type LimiterMessage,
  type LimiterSettings,
  type LimiterStats,
  limiterQueries,
  limiterSignals,
  limiterWorkflowType,
} from '../../contract/limiter.ts';
import { LimiterRecord } from './limiter-record.ts';

interface LimiterStart {
  workflowId: string;
  taskQueue: string;
  args: [key: string, settings: LimiterSettings];
}

export class TestLimiter {
  readonly handle: WorkflowHandle;
  readonly #client: Client;
  readonly #start: LimiterStart;

  constructor(client: Client, start: LimiterStart) {
    this.handle = client.workflow.getHandle(start.workflowId);
    this.#client = client;
    this.#start = start;
  }

  async stats(): Promise<LimiterStats> {
    return await this.handle.query<LimiterStats>(limiterQueries.stats);
  }

  async details(): Promise<LimiterDetails> {
    return await this.handle.query<LimiterDetails>(limiterQueries.details);
  }

  /** Sends a message as a holder's run does, which starts the limiter if none runs. */
  async send(message: Omit<LimiterMessage, 'settings'>): Promise<void> {
    const [, settings] = this.#start.args;
    await this.#client.workflow.signalWithStart(limiterWorkflowType, {
      ...this.#start,
      signal: limiterSignals.message,
      signalArgs: [{ ...message, settings }],
    });
  }

  async record(): Promise<LimiterRecord> {
    return await LimiterRecord.of(this.#client, this.#start.workflowId);
  }
}
