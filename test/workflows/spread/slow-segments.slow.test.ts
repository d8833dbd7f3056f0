import { type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import { ScriptedContainer } from '../../fixtures/scripted-container.ts';
import { segmentStorage } from '../../support/fake-stores.ts';
import { matrixTest } from '../../support/rows.ts';
import { encodeInput } from '../../support/scripted-runs.ts';
import { type SegmentJob, SegmentJobs } from '../../support/segment-jobs.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

// Each of the concurrent tests has workers of its own, whose start alone takes a minute on a slow machine.
vi.setConfig({ testTimeout: 300_000 });

const time = await stopAfterAll(TimeSkipping.start());
// A segment becomes slow while its job runs, and the clock must not skip then.
await time.stopSkipping();

/** A container with the jobs of a spread run. */
class SlowContainer extends SegmentJobs {
  readonly removed: string[] = [];
  #container!: ScriptedContainer;

  static async start(planned: object): Promise<SlowContainer> {
    const own = new SlowContainer(planned);
    own.#container = await ScriptedContainer.start(own.script);
    return own;
  }

  get url(): string {
    return this.#container.url;
  }

  /** Names of the segments' files that the join gets, in order. */
  get joined(): string[] {
    const parts: { url: string }[][] = this.#joinPart.segments;
    return parts.flat().map(({ url }) => new URL(url).pathname.replace(/^.*-segment-/, ''));
  }

  /** Names of the files of sound that the join gets; undefined if the join makes the sound. */
  get joinedSounds(): string[] | undefined {
    const sounds: { url: string }[] | undefined = this.#joinPart.sounds;
    return sounds?.map(({ url }) => new URL(url).pathname.replace(/^.*-sound-/, ''));
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it field by field
  get #joinPart(): any {
    return this.#container.requestsTo('POST', '/encode').find(({ body }) => body.part.kind === 'join')?.body.part;
  }

  async stop(): Promise<void> {
    await this.#container.stop();
  }
}

interface SlowRun {
  container: SlowContainer;
  handle: WorkflowHandle;
  log: () => string[];
}

/** Runs a film whose last segment is slow. `planned`: further fields of its plan. */
async function withRun(planned: object, body: (run: SlowRun) => Promise<void>): Promise<void> {
  const container = await SlowContainer.start(planned);
  const spread = { mostContainers: 16, leastSeconds: 300, store: 's3://parts/' };
  const inTime = async (taskQueue: string): Promise<void> => {
    const input = { ...encodeInput, spread: { containers: 2, segmentSeconds: 20 } };
    const handle = await time.start('encode', input, taskQueue);
    await body({ container, handle, log: () => time.workflowLog(handle.workflowId) });
  };
  try {
    await time.withWorkers([container.url], inTime, { storage: segmentStorage(container.removed), spread });
  } finally {
    await container.stop();
  }
}

/** Fails a test that would hang; every awaited condition is met much sooner. */
const patience = { timeout: 280_000 };

async function untilSlowJobs(container: SlowContainer, count: number): Promise<void> {
  await vi.waitFor(() => expect(container.slowJobs).toHaveLength(count), patience);
}

/**
 * Waits until the run follows both jobs. If a run is cancelled while it still submits one, Temporal's test server (1.31.0)
 * sometimes loses the end of the workflow task, and every later task of the run times out.
 */
async function untilFollowed(handle: WorkflowHandle): Promise<void> {
  await untilSteps(handle, (steps) => steps.length === 2 && steps.every(({ state }) => state === 'running'));
}

type Steps = NonNullable<WorkflowStatus['steps']>;

/** Concurrent tests cannot use the poll of vitest's expect, which fails when another test ends. */
async function untilSteps(handle: WorkflowHandle, areSuch: (steps: Steps) => boolean): Promise<Steps> {
  return await vi.waitUntil(async () => {
    const { steps = [] } = await handle.query<WorkflowStatus>('status');
    return areSuch(steps) && steps;
  }, patience);
}

/** The jobs of the slow segment, once there are two. */
interface Scene extends SlowRun {
  first: SegmentJob;
  second: SegmentJob;
}

/** Runs a film whose last segment is slow until it has a second job. */
async function withCopy(body: (scene: Scene) => Promise<void>): Promise<void> {
  await withRun({}, async (run) => {
    await untilSlowJobs(run.container, 2);
    await untilFollowed(run.handle);
    const [first, second] = run.container.slowJobs;
    if (first === undefined || second === undefined) throw new Error('two jobs');
    await body({ ...run, first, second });
  });
}

test.concurrent(
  'the second job of a slow segment counts if it ends first, and the first job is cancelled',
  async () => {
    await withCopy(async ({ container, handle, first, second, log }) => {
      const status = await handle.query<WorkflowStatus>('status');
      expect(status.steps?.map(({ id }) => id)).toEqual(['segment-2', 'segment-2b']);
      // The copy is a job, and no further segment.
      expect(status.spread).toMatchObject({ segments: 3, done: 2 });
      second.state = 'succeeded';
      expect(await handle.result()).toMatchObject({ spread: { segments: 3 } });
      expect(first.state).toBe('cancelled');
      expect(container.joined).toEqual(['00000-film-0.mp4', '00001-film-0.mp4', '00002-copy-film-0.mp4']);
      expect(container.removed.map((url) => url.replace(/^.*-segment-/, '')).toSorted()).toEqual([
        '00000-film-0.mp4',
        '00001-film-0.mp4',
        '00002-copy-film-0.mp4',
        '00002-film-0.mp4',
      ]);
      expect(log()).toContain('Segment 3 takes much longer than the others. A second job encodes it too');
      expect(await handle.query('status')).toMatchObject({ spread: { segments: 3, done: 3, running: 0, waiting: 0 } });
    });
  },
);

test.concurrent(
  'the first job of a slow segment counts if it ends first, and the second job is cancelled',
  async () => {
    await withCopy(async ({ container, handle, first, second }) => {
      first.state = 'succeeded';
      expect(await handle.result()).toMatchObject({ spread: { segments: 3 } });
      expect(second.state).toBe('cancelled');
      expect(container.joined).toContain('00002-film-0.mp4');
      // The second job may have stored its file before it was cancelled.
      expect(container.removed.filter((url) => url.endsWith('-00002-copy-film-0.mp4'))).toHaveLength(1);
    });
  },
);

test.concurrent('a slow segment survives the failure of one of its jobs, and gets no third one', async () => {
  await withCopy(async ({ container, handle, first, second }) => {
    second.state = 'failed';
    await untilSteps(handle, ({ length }) => length === 1);
    first.state = 'succeeded';
    expect(await handle.result()).toMatchObject({ spread: { segments: 3 } });
    expect(container.slowJobs).toHaveLength(2);
  });
});

matrixTest.concurrent('a segment fails with the error of its first job if both fail', async () => {
  await withCopy(async ({ container, handle, first, second }) => {
    second.state = 'failed';
    first.state = 'failed';
    // One container then encodes the whole film.
    expect(await handle.result()).toMatchObject({ spread: { segments: 1, reason: 'It has failed.' } });
    expect(container.jobs.at(-1)?.part).toBeUndefined();
  });
});

test.concurrent('a cancelled run cancels both jobs of a slow segment, and removes the files of both', async () => {
  await withCopy(async ({ container, handle, first, second }) => {
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    expect([first.state, second.state]).toEqual(['cancelled', 'cancelled']);
    expect(container.removed.map((url) => url.replace(/^.*-segment-/, ''))).toContain('00002-copy-film-0.mp4');
  });
});

matrixTest.concurrent('a slow segment gets no second job while the sound has the other lane', async () => {
  await withRun({ sounds: 1 }, async ({ container, handle }) => {
    await untilSlowJobs(container, 1);
    // The segment is slow after five seconds.
    await delay(8_000);
    expect(container.slowJobs).toHaveLength(1);
    const [sound] = container.soundJobs;
    if (sound === undefined) throw new Error('no job of the sound');
    sound.state = 'succeeded';
    await untilSlowJobs(container, 2);
    for (const job of container.slowJobs) job.state = 'succeeded';
    expect(await handle.result()).toMatchObject({ spread: { segments: 3 } });
  });
});

/** Runs a film whose sound is slow until the sound has a second job. */
async function withSoundCopy(body: (scene: Scene) => Promise<void>): Promise<void> {
  await withRun({ sounds: 1 }, async (run) => {
    await untilSlowJobs(run.container, 1);
    // The sound and a segment have both lanes until the segment ends.
    for (const job of run.container.slowJobs) job.state = 'succeeded';
    await vi.waitFor(() => expect(run.container.soundJobs).toHaveLength(2), patience);
    await untilFollowed(run.handle);
    const [first, second] = run.container.soundJobs;
    if (first === undefined || second === undefined) throw new Error('two jobs');
    await body({ ...run, first, second });
  });
}

test.concurrent('the second job of a slow sound counts if it ends first, and the first job is cancelled', async () => {
  await withSoundCopy(async ({ container, handle, first, second, log }) => {
    const { steps } = await handle.query<WorkflowStatus>('status');
    expect(steps?.map(({ id }) => id)).toEqual(['sound', 'soundb']);
    second.state = 'succeeded';
    expect(await handle.result()).toMatchObject({ spread: { segments: 3 } });
    expect(first.state).toBe('cancelled');
    expect(container.joinedSounds).toEqual(['copy-output-0']);
    expect(
      container.removed.filter((url) => url.includes('-sound-')).map((url) => url.replace(/^.*-sound-/, '')),
    ).toEqual(['output-0', 'copy-output-0']);
    expect(log()).toContain('The sound takes much longer than the others. A second job encodes it too');
  });
});

matrixTest.concurrent(
  'the first job of a slow sound counts if it ends first, and the second job is cancelled',
  async () => {
    await withSoundCopy(async ({ container, handle, first, second }) => {
      first.state = 'succeeded';
      expect(await handle.result()).toMatchObject({ spread: { segments: 3 } });
      expect(second.state).toBe('cancelled');
      expect(container.joinedSounds).toEqual(['output-0']);
    });
  },
);

matrixTest.concurrent('the join makes the sound if both jobs of a slow sound fail', async () => {
  await withSoundCopy(async ({ container, handle, first, second }) => {
    first.state = 'failed';
    second.state = 'failed';
    expect(await handle.result()).toMatchObject({ spread: { segments: 3 } });
    expect(container.joinedSounds).toBeUndefined();
    expect(container.soundJobs).toHaveLength(2);
  });
});

matrixTest.concurrent('a cancelled run cancels both jobs of a slow sound, and removes the files of both', async () => {
  await withSoundCopy(async ({ container, handle, first, second }) => {
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    expect([first.state, second.state]).toEqual(['cancelled', 'cancelled']);
    expect(container.removed.map((url) => url.replace(/^.*-sound-/, ''))).toContain('copy-output-0');
  });
});
