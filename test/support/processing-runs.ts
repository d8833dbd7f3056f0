import { type WorkflowHandleWithFirstExecutionRunId, WorkflowNotFoundError } from '@temporalio/client';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireProvider, type Providers } from '../../activities/provider/providers.ts';
import { Storage } from '../../activities/storage/storage.ts';
import {
  type Holder,
  type LimiterUpdate,
  limiterQueries,
  limiterUpdateSignal,
  limiterWorkflowId,
  limiterWorkflowType,
} from '../../contract/limiter.ts';
import { readConfig } from '../../worker/config.ts';
import { fakeStores } from './fake-stores.ts';
import { TestLimiter } from './limiter.ts';
import { resumableInput } from './resumable-input.ts';
import type { TimeSkipping } from './time-skipping.ts';

export type Handle = WorkflowHandleWithFirstExecutionRunId;

interface Setup {
  time: TimeSkipping;
  folder: string;
  providerUrl: string;
  /** Part of the ids of limiters, so that each test has its own. */
  environment: string;
  /** Limits by provider key. */
  limits: Record<string, object>;
  /** RATE_LIMIT_THROTTLE_MODELS */
  throttled?: string;
}

/** Runs of `processing` that resume with existing chunks, and their limiters. */
export class ProcessingRuns {
  readonly #setup: Setup;
  readonly #providers: Providers;
  readonly #taskQueue: string;

  private constructor(setup: Setup, providers: Providers, taskQueue: string) {
    this.#setup = setup;
    this.#providers = providers;
    this.#taskQueue = taskQueue;
  }

  static async with<Result>(setup: Setup, body: (runs: ProcessingRuns) => Promise<Result>): Promise<Result> {
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
        const runs = new ProcessingRuns(setup, providers, taskQueue);
        const result = await body(runs);
        for (const key of providers.keys()) await runs.#terminate(runs.limiter(key));
        return result;
      },
      { providers, storage: new Storage(fakeStores({}, folder)) },
    );
  }

  async start(name: string, provider: string | string[], chunks: number) {
    const { time, folder, environment } = this.#setup;
    const input = { ...(await resumableInput(join(folder, environment, name), chunks)), provider };
    return await time.start('processing', input, this.#taskQueue);
  }

  limiter(key: string): TestLimiter {
    const { limits, throttle } = requireProvider(this.#providers, key).policy;
    return new TestLimiter(this.#setup.time.environment.client, {
      workflowId: limiterWorkflowId(this.#setup.environment, key),
      taskQueue: this.#taskQueue,
      args: [key, { limits, ...(throttle !== undefined && { throttle }) }],
    });
  }

  /** Terminates a limiter: its timers, which no worker runs any more, would stop the skipping clock for the next test. */
  async #terminate(limiter: TestLimiter): Promise<void> {
    // After an answer no workflow task is open; an interrupted one would stop the clock too.
    await limiter.stats();
    try {
      await limiter.handle.terminate();
    } catch (error) {
      // The clock may have skipped past the end of an idle limiter.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  /** A workflow that ignores the updates of a limiter: a limiter without holders. */
  async idleHolder(): Promise<{ handle: Handle; holder: Holder }> {
    const { time, environment } = this.#setup;
    const workflowId = limiterWorkflowId(environment, 'test/idle');
    const handle = await time.environment.client.workflow.start(limiterWorkflowType, {
      ...{ workflowId, taskQueue: this.#taskQueue },
      args: ['test/idle', { limits: {} }],
    });
    // After an answer the first workflow task has ended.
    await handle.query(limiterQueries.details);
    return { handle, holder: { workflowId, firstRunId: handle.firstExecutionRunId } };
  }
}

/** Sends updates for another holder, which the run ignores but which lengthen its history. */
export async function growHistory(handle: Handle, events: number): Promise<void> {
  const to = { workflowId: handle.workflowId, firstRunId: 'another' };
  const update: LimiterUpdate = { key: 'test/model', to, granted: [], waiting: 0 };
  for (let run = await handle.describe(); run.historyLength < events; run = await handle.describe()) {
    await Promise.all(Array.from({ length: 50 }, () => handle.signal(limiterUpdateSignal, update)));
  }
}
