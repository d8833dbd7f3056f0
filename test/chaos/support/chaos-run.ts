import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunFailure } from '../../../contract/workflow/failure.ts';
import type { EncodedOutput } from '../../../contract/http/output.ts';
import { EncodeOutcome } from '../../../contract/workflow/encode.ts';
import type { TestContainer } from '../../support/container.ts';
import { probeAudio } from '../../support/media.ts';
import { sha256Of } from '../../support/media-files.ts';
import type { LogLine } from '../../support/process.ts';
import type { S3Server } from '../../support/s3.ts';
import type { TestStack } from '../../support/stack.ts';
import { expectNothingLeft } from './leftovers.ts';

const bucket = 'media';
const formats = ['mp3_128', 'opus_24'] as const;
const codecs: Record<string, string> = { mp3: 'mp3', opus: 'opus' };

/** One `encode` run that meets a fault, and the checks afterwards. */
export class ChaosRun {
  readonly handle: WorkflowHandle;
  readonly idempotencyKey: string;
  readonly #stack: TestStack;
  readonly #s3: S3Server;
  readonly #folder: string;
  /** Includes dead containers, because their logs count. */
  readonly #containers: Set<TestContainer>;

  private constructor(handle: WorkflowHandle, runId: string, stack: TestStack, s3: S3Server, folder: string) {
    this.handle = handle;
    this.idempotencyKey = `${runId}:encode`;
    this.#stack = stack;
    this.#s3 = s3;
    this.#folder = folder;
    this.#containers = new Set(stack.containers);
  }

  static async start(stack: TestStack, s3: S3Server, { sourceUrl }: { sourceUrl: string }): Promise<ChaosRun> {
    const folder = randomUUID();
    const handle = await stack.run('encode', {
      sourceUrl,
      outputs: formats.map((format) => ({ format, uploadUrl: `s3://${bucket}/${folder}/${format}` })),
      // Waits take seconds instead of minutes; everything else is as users have it.
      retry: { baseDelay: 1, maxDelay: 2 },
    });
    const { runId } = await handle.describe();
    return new ChaosRun(handle, runId, stack, s3, folder);
  }

  /** Lines about this run's jobs in the logs of all container processes. */
  jobLines(prefix: '[JOB_START]' | '[JOB_END]'): LogLine[] {
    for (const container of this.#stack.containers) this.#containers.add(container);
    return [...this.#containers]
      .flatMap((container) => container.process.logLines)
      .filter((line) => line['idempotencyKey'] === this.idempotencyKey && line.msg?.startsWith(prefix));
  }

  /** Names of the stored objects; hidden files are uploads in progress. */
  async listStored(): Promise<string[]> {
    const names = await readdir(this.#storeFolder()).catch(() => []);
    return names.filter((name) => !name.startsWith('.')).sort();
  }

  /** The run succeeded, and exactly its files are stored, byte for byte. */
  async expectStored(seconds: number): Promise<EncodeOutcome> {
    const outcome = EncodeOutcome.parse(await this.handle.result());
    expect(await this.listStored()).toEqual([...formats]);
    for (const output of outcome.outputs) {
      await expectWholeObject(output, join(this.#storeFolder(), output.format ?? ''), seconds);
    }
    return outcome;
  }

  /**
   * Checks for every fault that a run survives. `starts` counts jobs: none started more often than the fault required.
   */
  async expectWhole(expected: {
    starts: number;
    seconds: number;
    counts?: Partial<EncodeOutcome>;
  }): Promise<EncodeOutcome> {
    const outcome = await this.expectStored(expected.seconds);
    expect(outcome, this.#stack.worker.output).toMatchObject(expected.counts ?? {});
    const successes = (): LogLine[] => this.jobLines('[JOB_END]').filter(({ state }) => state === 'succeeded');
    await this.#stack.worker.until('success in the log of a container', () => successes().length > 0);
    expect(successes().length).toBe(1);
    expect(this.jobLines('[JOB_START]').length).toBe(expected.starts);
    for (const container of this.#stack.containers) await expectNothingLeft(container);
    return outcome;
  }

  /** Checks for every fault that must fail a run. */
  async expectFailed(type: string): Promise<RunFailure> {
    const failure: unknown = await this.handle.result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    const { cause } = failure as WorkflowFailedError;
    expect(cause).toMatchObject({ type });
    expect(await this.listStored()).toEqual([]);
    expect(this.jobLines('[JOB_START]').length).toBe(1);
    for (const container of this.#stack.containers) await expectNothingLeft(container);
    return (cause as unknown as { details: [RunFailure] }).details[0];
  }

  #storeFolder(): string {
    return join(this.#s3.folder, bucket, this.#folder);
  }
}

/** The object has the size and digest of the result and is a whole recording. */
async function expectWholeObject(output: EncodedOutput, path: string, seconds: number): Promise<void> {
  expect((await stat(path)).size).toBe(output.size);
  expect(await sha256Of(path)).toBe(output.sha256);
  const probed = await probeAudio(path);
  expect(probed.codec).toBe(codecs[output.format?.split('_')[0] ?? '']);
  expect(Math.abs(probed.duration - seconds)).toBeLessThan(0.1);
}
