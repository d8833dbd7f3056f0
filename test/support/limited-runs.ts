import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { knownProvider, type Providers } from '../../activities/provider/providers.ts';
import { Storage } from '../../activities/storage/storage.ts';
import type { Holder } from '../../contract/limiter.ts';
import { gateQueries, gateWorkflowId, gateWorkflowType } from '../../contract/names.ts';
import { readProviders } from '../../worker/providers.ts';
import { cutRun } from './cut-run.ts';
import { TestGate } from './limiter.ts';
import { fakePresigner, type TimeSkipping } from './time-skipping.ts';

export type Handle = WorkflowHandleWithFirstExecutionRunId;

interface Setup {
  time: TimeSkipping;
  folder: string;
  providerUrl: string;
  /** Part of the gates' names: what an earlier test left at its gates is nothing to this one. */
  environment: string;
  /** by key */
  limits: Record<string, object>;
  /** RATE_LIMIT_THROTTLE_MODELS */
  throttled?: string;
}

/** Runs of `processing` that begin with their chunks cut, and the gates that they ask. */
export class GatedRuns {
  readonly #setup: Setup;
  readonly #providers: Providers;
  readonly #taskQueue: string;

  private constructor(setup: Setup, providers: Providers, taskQueue: string) {
    this.#setup = setup;
    this.#providers = providers;
    this.#taskQueue = taskQueue;
  }

  static async with<Result>(setup: Setup, body: (runs: GatedRuns) => Promise<Result>): Promise<Result> {
    const { time, folder, environment, throttled = '' } = setup;
    const providersFile = join(folder, `${environment}.json`);
    const declared = Object.entries(setup.limits).map(([key, limits]) => [
      key,
      { kind: 'openai-transcription', url: setup.providerUrl, limits },
    ]);
    await writeFile(providersFile, JSON.stringify(Object.fromEntries(declared)));
    const providers = readProviders({
      PROVIDERS_FILE: providersFile,
      HOLDFAST_ENVIRONMENT: environment,
      RATE_LIMIT_THROTTLE_MODELS: throttled,
    });
    return await time.withWorkers(
      [],
      async (taskQueue) => {
        const runs = new GatedRuns(setup, providers, taskQueue);
        const result = await body(runs);
        for (const key of providers.keys()) await runs.#end(runs.gate(key));
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

  gate(key: string): TestGate {
    const { limits, throttle } = knownProvider(this.#providers, key).policy;
    return new TestGate(this.#setup.time.environment.client, {
      workflowId: gateWorkflowId(this.#setup.environment, key),
      taskQueue: this.#taskQueue,
      args: [key, { limits, ...(throttle !== undefined && { throttle }) }],
    });
  }

  /** A gate's timers go on, and without a worker they would stop the clock for the next test. */
  async #end(gate: TestGate): Promise<void> {
    // Its last task is done when it answers: one that is cut off would stop the clock, too.
    await gate.stats();
    await gate.handle.terminate();
  }

  /** A workflow that takes what a gate tells it, and does nothing. That is what a gate does that nobody asks. */
  async idleHolder(): Promise<{ handle: Handle; holder: Holder }> {
    const { time, environment } = this.#setup;
    const workflowId = gateWorkflowId(environment, 'test/idle');
    const handle = await time.environment.client.workflow.start(gateWorkflowType, {
      ...{ workflowId, taskQueue: this.#taskQueue },
      args: ['test/idle', { limits: {} }],
    });
    // Once it has answered, it sleeps.
    await handle.query(gateQueries.details);
    return { handle, holder: { workflowId, firstRunId: handle.firstExecutionRunId } };
  }
}
