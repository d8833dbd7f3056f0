import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { knownProvider, type Providers } from '../../activities/provider/providers.ts';
import { Storage } from '../../activities/storage/storage.ts';
import { type Holder, limiterQueries, limiterWorkflowId, limiterWorkflowType } from '../../contract/limiter.ts';
import { readConfig } from '../../worker/config.ts';
import { cutRun } from './cut-run.ts';
import { TestLimiter } from './limiter.ts';
import { fakePresigner, type TimeSkipping } from './time-skipping.ts';

export type Handle = WorkflowHandleWithFirstExecutionRunId;

interface Setup {
  time: TimeSkipping;
  folder: string;
  providerUrl: string;
  /** Part of the limiters' names: what an earlier test left at its limiters is nothing to this one. */
  environment: string;
  /** by key */
  limits: Record<string, object>;
  /** RATE_LIMIT_THROTTLE_MODELS */
  throttled?: string;
}

/** Runs of `processing` that begin with their chunks cut, and the limiters that they ask. */
export class LimitedRuns {
  readonly #setup: Setup;
  readonly #providers: Providers;
  readonly #taskQueue: string;

  private constructor(setup: Setup, providers: Providers, taskQueue: string) {
    this.#setup = setup;
    this.#providers = providers;
    this.#taskQueue = taskQueue;
  }

  static async with<Result>(setup: Setup, body: (runs: LimitedRuns) => Promise<Result>): Promise<Result> {
    const { time, folder, environment, throttled = '' } = setup;
    const providersFile = join(folder, `${environment}.json`);
    const declared = Object.entries(setup.limits).map(([key, limits]) => [
      key,
      { kind: 'openai-transcription', url: setup.providerUrl, limits },
    ]);
    await writeFile(providersFile, JSON.stringify(Object.fromEntries(declared)));
    const { providers } = readConfig({
      PROVIDERS_FILE: providersFile,
      HOLDFAST_ENVIRONMENT: environment,
      RATE_LIMIT_THROTTLE_MODELS: throttled,
    });
    return await time.withWorkers(
      [],
      async (taskQueue) => {
        const runs = new LimitedRuns(setup, providers, taskQueue);
        const result = await body(runs);
        for (const key of providers.keys()) await runs.#end(runs.limiter(key));
        return result;
      },
      { providers, storage: new Storage(fakePresigner, folder) },
    );
  }

  async start(name: string, provider: string | string[], chunks: number) {
    const { time, folder, environment } = this.#setup;
    const input = { ...(await cutRun(join(folder, environment, name), chunks)), provider };
    return await time.start('processing', input, this.#taskQueue);
  }

  limiter(key: string): TestLimiter {
    const { limits, throttle } = knownProvider(this.#providers, key).policy;
    return new TestLimiter(this.#setup.time.environment.client, {
      workflowId: limiterWorkflowId(this.#setup.environment, key),
      taskQueue: this.#taskQueue,
      args: [key, { limits, ...(throttle !== undefined && { throttle }) }],
    });
  }

  /** A limiter's timers go on, and without a worker they would stop the clock for the next test. */
  async #end(limiter: TestLimiter): Promise<void> {
    // Its last task is done when it answers: one that is cut off would stop the clock, too.
    await limiter.stats();
    await limiter.handle.terminate();
  }

  /** A workflow that takes what a limiter tells it, and does nothing. That is what a limiter does that nobody asks. */
  async idleHolder(): Promise<{ handle: Handle; holder: Holder }> {
    const { time, environment } = this.#setup;
    const workflowId = limiterWorkflowId(environment, 'test/idle');
    const handle = await time.environment.client.workflow.start(limiterWorkflowType, {
      ...{ workflowId, taskQueue: this.#taskQueue },
      args: ['test/idle', { limits: {} }],
    });
    // Once it has answered, it sleeps.
    await handle.query(limiterQueries.details);
    return { handle, holder: { workflowId, firstRunId: handle.firstExecutionRunId } };
  }
}
