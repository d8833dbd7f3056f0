import { ApplicationFailure, type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AttemptState } from '../../../contract/activity.ts';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import {
  accepted,
  answer,
  drop,
  errorAnswer,
  failedView,
  jobView,
  ScriptedContainer,
} from '../../fixtures/scripted-container.ts';
import { newRetryState } from '../../../workflows/run/retry-state.ts';
import { RunHistory } from '../../support/history.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';
import { bundleFixture } from '../../support/workflow-fixtures.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

// A run with two concurrent steps, each with a job at its own container.

const folder = useFolder();
let containers: HangingContainer[];

/** A container whose job never advances. */
class HangingContainer {
  readonly scripted: ScriptedContainer;
  format: string | undefined;
  #state: 'running' | 'cancelled' | 'failed' = 'running';
  #areViewsBroken = false;

  private constructor(scripted: ScriptedContainer) {
    this.scripted = scripted;
  }

  static async start(): Promise<HangingContainer> {
    let container: HangingContainer | undefined;
    const scripted = await ScriptedContainer.start(({ method, path, body }) => {
      if (container === undefined) return errorAnswer(503, 'draining');
      if (method === 'POST') {
        container.format = body.outputs[0].format;
        return accepted;
      }
      if (method === 'DELETE') container.#state = 'cancelled';
      else if (container.#areViewsBroken && container.#state === 'running') return drop;
      return path.endsWith('/events') ? errorAnswer(404, 'not_found') : answer(200, container.#view());
    });
    container = new HangingContainer(scripted);
    return container;
  }

  failJob(): void {
    this.#state = 'failed';
  }

  /** Breaks the connection of every request about the running job. */
  breakViews(): void {
    this.#areViewsBroken = true;
  }

  get isCancelled(): boolean {
    return this.scripted.requestsTo('DELETE', '/jobs/job-1').length > 0;
  }

  get idempotencyKeys(): unknown[] {
    return this.scripted.requestsTo('POST', '/encode').map(({ headers }) => headers['idempotency-key']);
  }

  #view(): object {
    switch (this.#state) {
      case 'running':
        return jobView(2);
      case 'cancelled':
        return jobView(2, { state: 'cancelled', endedAt: 'now', error: { error: 'Cancelled.', code: 'cancelled' } });
      case 'failed':
        return failedView('undecodable_source');
    }
  }
}

/** Fails a test that would hang. */
const patience = { timeout: 100_000 };

const time = await stopAfterAll(TimeSkipping.start());
const workflowBundle = await bundleFixture('two-steps', folder);
beforeEach(async () => {
  containers = [await HangingContainer.start(), await HangingContainer.start()];
});
afterEach(() => Promise.all(containers.map(({ scripted }) => scripted.stop())));

const input = {
  sourceUrl: 'https://media.test/episode.wav',
  outputs: ['mp3_128', 'flac'].map((format) => ({ format, uploadUrl: `https://media.test/${format}` })),
};

async function withTwoJobs(body: (handle: WorkflowHandle, status: WorkflowStatus) => Promise<void>): Promise<void> {
  const urls = containers.map(({ scripted }) => scripted.url);
  await time.withWorkers(
    urls,
    async (taskQueue) => {
      const handle = await time.start('twoSteps', input, taskQueue);
      for (;;) {
        const status = await handle.query<WorkflowStatus>('status');
        if (status.steps?.every(({ state }) => state === 'running')) return body(handle, status);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    {},
    workflowBundle,
  );
}

async function failureOf(handle: WorkflowHandle): Promise<unknown> {
  const error: unknown = await handle.result().catch((error: unknown) => error);
  return error instanceof WorkflowFailedError ? error.cause : error;
}

test('each of two steps has its own key, job and status', async () => {
  await withTwoJobs(async (handle, status) => {
    const { firstExecutionRunId } = handle as WorkflowHandle & { firstExecutionRunId: string };
    expect(new Set(containers.flatMap(({ idempotencyKeys }) => idempotencyKeys))).toEqual(
      new Set([`${firstExecutionRunId}:segment-0`, `${firstExecutionRunId}:segment-1`]),
    );
    expect(status).toMatchObject({ phase: 'encode', state: 'running', percent: 20, attempt: 1 });
    const running = { phase: 'encode', state: 'running', percent: 20, attempt: 1, container: expect.any(String) };
    expect(status.steps).toEqual(['segment-0', 'segment-1'].map((id) => ({ ...running, id })));
    await handle.cancel();
    await failureOf(handle);
  });
});

test('cancelling a run ends the jobs of all its steps', async () => {
  await withTwoJobs(async (handle) => {
    await handle.cancel();
    expect(await failureOf(handle)).toBeInstanceOf(CancelledFailure);
    // The run itself ends the jobs. Its activities do too, but only after a heartbeat tells them.
    expect((await RunHistory.of(handle)).startsOf('cancelJob')).toHaveLength(2);
    expect(containers.map(({ isCancelled }) => isCancelled)).toEqual([true, true]);
    expect(await handle.query<WorkflowStatus>('status')).toMatchObject({
      state: 'failed',
      steps: [{ state: 'failed' }, { state: 'failed' }],
    });
  });
});

test('a fatal failure of one step fails the run and ends the job of the other step', async () => {
  await withTwoJobs(async (handle) => {
    const [failing, other] = containers[0]?.format === 'flac' ? containers.toReversed() : containers;
    failing?.failJob();
    const failure = await failureOf(handle);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type: 'UndecodableSource' });
    expect((await RunHistory.of(handle)).startsOf('cancelJob')).toHaveLength(1);
    expect(failing?.isCancelled).toBe(false);
    expect(other?.isCancelled).toBe(true);
  });
});

test('a run that gives up on an unreachable container still asks it to end the job', async () => {
  const [container] = containers;
  const url = container?.scripted.url ?? '';
  await time.withWorkers([url], async (taskQueue) => {
    const handle = await time.start('encode', { ...input, retry: { maxRetryTime: 5, retryBuffer: 0 } }, taskQueue);
    // A worker that is late with a heartbeat asks again.
    await vi.waitUntil(() => (container?.idempotencyKeys.length ?? 0) > 0, patience);
    container?.breakViews();
    expect(await failureOf(handle)).toMatchObject({ type: 'RetryBudgetExhausted' });
    expect(container?.isCancelled).toBe(true);
  });
});

test('a cancelled run ends a job that it knows from before it continued as new', async () => {
  const [container] = containers;
  const location = { containerUrl: container?.scripted.url, jobId: 'job-1' };
  // There is no container worker, so the attempt that would join the job stays queued.
  await time.withWorkers([], async (taskQueue) => {
    const state = { ...newRetryState({ location } as AttemptState), attempts: 1, connectionErrors: 1 };
    const handle = await time.environment.client.workflow.start('encode', {
      taskQueue,
      workflowId: randomUUID(),
      args: [input, { key: 'run', state }],
    });
    await vi.waitUntil(async () => (await handle.query<WorkflowStatus>('status')).attempt === 2, patience);
    await handle.cancel();
    expect(await failureOf(handle)).toBeInstanceOf(CancelledFailure);
    expect(container?.isCancelled).toBe(true);
  });
});
