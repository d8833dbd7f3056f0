import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent } from 'undici';
import type { InputFile } from '../../../contract/places.ts';
import type { Delivery } from '../../../container/jobs/delivery.ts';
import { createTransferCounters } from '../../../container/transfer/counters.ts';
import { deliverFiles } from '../../../container/transfer/deliver-files.ts';
import type { DeliverableFile } from '../../../container/transfer/delivery.ts';
import { digestFile } from '../../../container/transfer/digest.ts';
import { KeptInputs } from '../../../container/transfer/kept-inputs.ts';
import { createLog } from '../../../process/log.ts';

const never = new AbortController().signal;

/** Writes files of random bytes to the folder. Their URLs are asked for. */
export async function makeDeliverableFiles(folder: string, names: readonly string[]): Promise<DeliverableFile[]> {
  return await Promise.all(
    names.map(async (name) => {
      // Every run has a folder of its own.
      const path = join(folder, randomUUID());
      await writeFile(path, randomBytes(100));
      const contentType = name.endsWith('.m3u8') ? 'application/vnd.apple.mpegurl' : 'video/mp4';
      const digest = await digestFile(path, never, () => {});
      return { path, name, contentType, digest, output: 0, target: undefined };
    }),
  );
}

interface DeliverySetup {
  /** Folder of the job. */
  scratch: string;
  /** Folder of `file:` URLs. */
  media: string | undefined;
  inputs?: readonly InputFile[] | undefined;
  urlsTimeoutSeconds?: number | undefined;
  signal?: AbortSignal;
}

/** Delivers files as a job does; the caller of the job sees `delivery`. */
export async function deliverInTest(
  files: readonly DeliverableFile[],
  { scratch, media, inputs = [], urlsTimeoutSeconds = 60, signal = never }: DeliverySetup,
) {
  const kept = await KeptInputs.find(inputs, media);
  let delivery: Delivery | undefined;
  const ended = deliverFiles(
    files,
    {
      ...{ jobId: 'a-job', folder: scratch, fetchedFolder: scratch, log: createLog('test', 'silent'), signal },
      advance: () => {},
      openDelivery: (opened) => (delivery = opened),
    },
    {
      ...{ dispatcher: new Agent(), mediaRoot: media, urlsTimeoutSeconds },
      limits: { stallTimeoutMs: 10_000, answerTimeoutMs: 10_000 },
      counters: createTransferCounters(),
      checkTarget: async () => {},
      kept,
    },
  );
  if (delivery === undefined) {
    await ended;
    throw new Error('The job asks for no URLs');
  }
  return { ended, delivery };
}
