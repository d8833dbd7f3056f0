import type { WorkflowHandle } from '@temporalio/client';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readSegmentId, soundCopyId } from '../../contract/spread-settings.ts';
import { containerTaskQueue, defaultTaskQueue } from '../../contract/task-queues.ts';
import type { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { describeQueue } from '../../server/queue/describe-queue.ts';
import { expectNothingLeft } from '../chaos/support/leftovers.ts';
import { answerWith } from '../container/transfer/ranged-source.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { TestContainer } from '../support/container.ts';
import { quickH264 } from '../support/films.ts';
import { makeMedia } from '../support/media-files.ts';
import type { TestProcess } from '../support/process.ts';
import { type S3Server, startS3 } from '../support/s3.ts';
import { TestStack } from '../support/stack.ts';

/** Segments of the film. */
export const segmentCount = 3;
/** Files in the store before the join: one of each segment, and one of the sound. */
const storedFiles = segmentCount + 1;
const segmentSeconds = 20;
const filmSeconds = segmentCount * segmentSeconds;

/** Requests for the source, and uploads of the result, wait while a test holds them. */
export type Held = 'source' | 'source of the sound' | 'source of the join' | 'result';

/** Two containers that encode a film in three segments. The segments are in a store that a test may kill. */
export class SpreadStack {
  readonly stack: TestStack;
  readonly s3: S3Server;
  readonly #media: MediaServer;
  readonly #folder: string;
  readonly #film: Buffer;
  /** Includes dead containers, because their logs count. */
  readonly #containers: Set<TestContainer>;
  readonly #waiting = new Set<() => void>();
  #held: Held | undefined;

  private constructor(stack: TestStack, s3: S3Server, media: MediaServer, folder: string, film: Buffer) {
    [this.stack, this.s3, this.#media, this.#folder, this.#film] = [stack, s3, media, folder, film];
    this.#containers = new Set(stack.containers);
  }

  static async start(): Promise<SpreadStack> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-spread-'));
    const [s3, media] = await Promise.all([startS3(['segments']), MediaServer.start()]);
    const sources = [
      ...['-f', 'lavfi', '-i', `testsrc2=s=160x90:r=25:d=${filmSeconds},noise=alls=20:allf=t`],
      ...['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${filmSeconds}`],
    ];
    const path = await makeMedia(folder, 'film.mp4', ...sources, ...quickH264, '-g', '100', '-c:a', 'aac');
    const stack = await TestStack.start({
      containers: 2,
      // A test holds sources and results back.
      containerEnvironment: { STALL_TIMEOUT_SECONDS: '1500' },
      workerEnvironment: {
        ...s3.environment,
        ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
        SEGMENT_STORE_URL: 's3://segments/',
      },
    });
    return new SpreadStack(stack, s3, media, folder, await readFile(path));
  }

  /** Encodes the film in segments to `name`. */
  async run(name: string): Promise<SpreadRun> {
    let wholeRequests = 0;
    const sourceUrl = this.#media.on(`GET /source-of-${name}`, async (request, response) => {
      // The plan asks for the version of the source. Then the sound and the join download the whole source.
      if (request.headers.range === undefined) wholeRequests += 1;
      await this.#pass('source');
      if (request.headers.range === undefined && wholeRequests > 1) await this.#pass('source of the sound');
      if ((await this.storedSegments()).length === storedFiles) await this.#pass('source of the join');
      answerWith({ body: this.#film }, request, response);
    });
    let sha256 = '';
    const uploadUrl = this.#media.on(`PUT /${name}`, async (request, response) => {
      await this.#pass('result');
      const hash = createHash('sha256');
      for await (const bytes of request) hash.update(bytes as Buffer);
      sha256 = hash.digest('hex');
      response.end();
    });
    const handle = await this.stack.run('encode', {
      sourceUrl,
      outputs: [{ container: 'mp4', video: { codec: 'h264', speed: 'fast', crf: 24 }, uploadUrl }],
      spread: { containers: 2, segmentSeconds },
      retry: { baseDelay: 1, maxDelay: 2 },
    });
    const { runId } = await handle.describe();
    return { handle, runId, storedSha256: () => sha256 };
  }

  /** Lets the requests of one kind wait. The returned function waits until one is there. */
  hold(held: Held): () => Promise<void> {
    this.#held = held;
    return async () => {
      await this.stack.worker.until(`a held ${held}`, () => this.#waiting.size > 0);
    };
  }

  release(): void {
    this.#held = undefined;
    for (const release of this.#waiting) release();
    this.#waiting.clear();
  }

  async #pass(kind: Held): Promise<void> {
    if (this.#held !== kind) return;
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async storedSegments(): Promise<string[]> {
    return (await readdir(join(this.s3.folder, 'segments'))).filter((name) => !name.startsWith('.'));
  }

  /** The container that has the only job. */
  async busyContainer(): Promise<TestContainer> {
    for (const container of this.stack.containers) {
      if ((await container.health()).activeJobs === 1) return container;
    }
    throw new Error('no container has a job');
  }

  async restartContainer(killed: TestContainer): Promise<void> {
    const index = this.stack.containers.indexOf(killed);
    const next = await TestContainer.restart(killed);
    this.stack.containers[index] = next;
    this.#containers.add(next);
  }

  /** Adds a container with a worker of its own. Returns what removes both. */
  async addContainer(): Promise<() => Promise<void>> {
    const container = await TestContainer.start({ STALL_TIMEOUT_SECONDS: '1500', DRAIN_TIMEOUT_SECONDS: '60' });
    this.stack.containers.push(container);
    this.#containers.add(container);
    const worker: TestProcess = await this.stack.addWorker({ CONTAINER_URLS: container.url });
    return async () => {
      await worker.stop('SIGTERM', 60_000);
      this.stack.containers.splice(this.stack.containers.indexOf(container), 1);
      await container.stop();
    };
  }

  /**
   * Jobs of a run that containers have started, including killed containers. The second jobs of slow segments and of a
   * slow sound do not count: what a test stops is slow.
   */
  startedJobs({ runId }: SpreadRun): number {
    const lines = [...this.#containers].flatMap(({ process }) => process.logLines);
    const keys = lines
      .filter(({ msg }) => msg?.startsWith('[JOB_START]'))
      .map((line) => String(line['idempotencyKey']));
    const isCopy = (key: string): boolean => {
      const id = key.slice(key.lastIndexOf(':') + 1);
      return id === soundCopyId || readSegmentId(id)?.isCopy === true;
    };
    return keys.filter((key) => key.includes(runId) && !isCopy(key)).length;
  }

  /** Jobs that a container has started for any run. */
  jobsOn(container: TestContainer): number {
    return container.process.logLines.filter(({ msg }) => msg?.startsWith('[JOB_START]')).length;
  }

  /** Nothing is left in the store, on scratch disks, in containers and in the queue. */
  async expectNothingLeft(): Promise<void> {
    expect(await this.storedSegments()).toEqual([]);
    for (const container of this.stack.containers) await expectNothingLeft(container);
    await this.stack.worker.until('an empty queue', async () => {
      const { stats } = await describeQueue(this.stack.client, containerTaskQueue(defaultTaskQueue));
      return Number(stats?.approximateBacklogCount ?? 0) === 0;
    });
  }

  /** The run has succeeded, with the file that an undisturbed run makes. */
  async expectFile(run: SpreadRun, sha256: string): Promise<void> {
    const outcome = (await run.handle.result()) as EncodeOutcome;
    expect(outcome.spread).toEqual({ segments: segmentCount });
    expect([outcome.outputs[0]?.sha256, run.storedSha256()]).toEqual([sha256, sha256]);
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await Promise.all([this.s3.stop(), this.#media.stop(), rm(this.#folder, { recursive: true })]);
  }
}

export interface SpreadRun {
  handle: WorkflowHandle;
  runId: string;
  /** Digest of the stored result; empty until it is stored. */
  storedSha256(): string;
}
