import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, NoSuchUpload, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openS3Store } from '../../../stores/s3/s3-store.ts';
import type { SigningStore } from '../../../stores/store.ts';
import { pcmDigest } from '../../support/media-files.ts';
import { TestAttempt, type AttemptSetup } from '../../support/attempt.ts';
import { TestContainer } from '../../support/container.ts';
import { fakeStores } from '../../support/fake-stores.ts';
import { longWav } from '../../support/media.ts';
import { startS3, versitygw, type S3Server } from '../../support/s3.ts';
import { s3Client } from '../../support/s3-client.ts';
import { startToxiproxy, type Proxy, type Toxiproxy } from '../../support/toxiproxy.ts';

export const storeServers = [
  ['rclone', undefined],
  ['versitygw', await versitygw()],
] as const;

/** Small parts of 5 MiB. */
const partSizes = { largestSinglePutBytes: 1024 ** 2, usualPartBytes: 5 * 1024 ** 2 };

/** Bandwidth at which a part takes most of a minute, so that a test acts in time even on a stalled machine. */
export const trickle = { type: 'bandwidth', attributes: { rate: 100 } } as const;

/** Duration of a source whose WAV needs four parts, the last one small. */
const seconds = 90;

/** A worker's dependencies and a container with a real store behind a fault-injecting proxy. */
export function useStore(command: (typeof storeServers)[number][1]) {
  const savedEnvironment = { ...process.env };
  let toxiproxy: Toxiproxy;
  let wav: string;
  let s3: S3Server;
  let line: Proxy;
  let store: SigningStore;
  let container: TestContainer;
  let client: S3Client;
  let objects = 0;

  beforeAll(async () => {
    [toxiproxy, wav] = await Promise.all([startToxiproxy(), longWav({ seconds, channels: 2 })]);
    s3 = await startS3(['media'], command);
    line = await toxiproxy.proxy(s3.endpoint);
    container = await TestContainer.start({ STALL_TIMEOUT_SECONDS: '10' });
    await copyFile(wav, join(container.mediaRoot, 'in.wav'));
    Object.assign(process.env, s3.environment);
    store = openS3Store({ AWS_ENDPOINT_URL_S3: line.url }, 600);
    // Bypasses the proxy.
    client = s3Client(s3);
  });

  afterEach(async () => {
    for (const jobId of (await container.health()).jobs) await container.call('DELETE', `/jobs/${jobId}`);
  });

  afterAll(async () => {
    client.destroy();
    await container.stop();
    await s3.stop();
    await toxiproxy.stop();
    process.env = savedEnvironment;
  });

  const openUploads = async (): Promise<string[]> => {
    const listed = client.send(new ListMultipartUploadsCommand({ Bucket: 'media' }));
    const { Uploads = [] } = await listed.catch((error: unknown) => {
      // rclone answers so for a bucket that never had an upload.
      if (error instanceof NoSuchUpload) return { Uploads: undefined };
      throw error;
    });
    return Uploads.map(({ UploadId = '' }) => UploadId);
  };

  /** One run, whose attempts write the same object. */
  const runOf = () => {
    objects += 1;
    const key = `out-${objects}.wav`;
    const context = { idempotencyKey: `run-${objects}:encode` };
    return {
      number: objects,
      object: join(s3.folder, 'media', key),
      attempt: (setup: AttemptSetup = {}) =>
        new TestAttempt(container.url, {
          stores: fakeStores(store),
          partSizes,
          ...setup,
          context: { ...context, ...setup.context },
        }),
      input: {
        sourceUrl: container.fileUrl('in.wav'),
        outputs: [{ format: 'wav', uploadUrl: `s3://media/${key}` }],
      },
    };
  };

  const expectStored = async (object: string, sha256: string | undefined): Promise<void> => {
    const bytes = await readFile(object);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    expect(await pcmDigest(object, 's16le')).toBe(await pcmDigest(wav, 's16le'));
    expect(await openUploads()).toEqual([]);
  };

  const running = async () => (await container.call('GET', '/jobs?state=running')).body.jobs[0];
  const untilDelivering = async (): Promise<string> =>
    await container.process.until('upload in parts', async () => {
      const job = await running();
      return job?.phase === 'deliver' && (await openUploads()).length > 0 && job.jobId;
    });

  return {
    get container() {
      return container;
    },
    set container(restarted) {
      container = restarted;
    },
    /** Proxy in front of the store. */
    get line() {
      return line;
    },
    get store() {
      return store;
    },
    get s3() {
      return s3;
    },
    openUploads,
    runOf,
    expectStored,
    untilDelivering,
  };
}
