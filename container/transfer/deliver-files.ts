import { once, EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { JobContext } from '../jobs/job.ts';
import { replacesInput } from '../../contract/places.ts';
import { isCredentialRefusal } from '../../contract/store-answer.ts';
import { ServiceError } from '../errors.ts';
import { runPool } from '../../engine/pool.ts';
import { currentMeter } from '../../engine/usage.ts';
import { abortUpload } from './abort-upload.ts';
import { isBlockMissing, isNoSuchUpload } from './complete-upload.ts';
import { watchForAnswer } from './answer-watch.ts';
import type { TransferCounters } from './counters.ts';
import { deliverySteps } from './delivery-order.ts';
import { type DeliveryTarget, urlsOf } from './delivery-target.ts';
import { DeliveryBook, type DeliverableFile, type DeliveryItem, type GivenTarget, placeIn } from './delivery.ts';
import { discardFile } from './discard-file.ts';
import type { KeptInputs } from './kept-inputs.ts';
import { removeEmptyFolders } from './empty-folders.ts';
import { uploadFile } from './upload.ts';
import type { UploadOptions } from './upload-options.ts';
import type { StoredFile } from './upload-to-file.ts';
import { uploadInParts } from './upload-in-parts.ts';

/** Parallel uploads of one job: enough to use the bandwidth in spite of latency, few enough to spare the store. */
const parallelUploads = 4;

export interface DeliverDeps extends Pick<UploadOptions, 'dispatcher' | 'mediaRoot' | 'limits'> {
  counters: TransferCounters;
  /** Longest silence of the caller while files are wanted and no upload is in progress. */
  urlsTimeoutSeconds: number;
  checkTarget(target: DeliveryTarget): Promise<void>;
  kept: KeptInputs;
}

/** Stores each file as soon as its target is known. A failure leaves no file and no parts at the store. */
export async function deliverFiles(
  files: readonly DeliverableFile[],
  job: JobContext,
  deps: DeliverDeps,
): Promise<void> {
  const { dispatcher, mediaRoot, limits, urlsTimeoutSeconds, checkTarget, counters, kept } = deps;
  const phase = files.some(({ target }) => target === undefined) ? 'deliver' : 'upload';
  const answers = new EventEmitter().setMaxListeners(0);
  const abort = async (target: DeliveryTarget): Promise<void> => {
    if (target.kind === 'single' || target.abortUrl === undefined) return;
    await abortUpload(target.abortUrl, { dispatcher, log: job.log });
  };
  const book = new DeliveryBook(files, {
    async checkTarget(target) {
      await assertKept(urlsOf(target), kept);
      await checkTarget(target);
    },
    entriesOf: (urls) => kept.entriesOf(urls),
    onGiven(item) {
      watch.restart();
      answers.emit(placeIn(item.file));
    },
    onAbandoned: (target) => void abort(target),
  });
  const queue = new PQueue({ concurrency: parallelUploads });
  let storing = 0;
  const watch = watchForAnswer(urlsTimeoutSeconds, () => storing === 0 && book.isAnyWanted);
  const totalBytes = Math.max(
    1,
    files.reduce((sum, { digest }) => sum + digest.size, 0),
  );
  const meter = currentMeter();
  const sentBytes = new Map<DeliverableFile, number>();
  const madeFolders = new Set<string>();
  let sent = 0;
  /** Time of the last end of an upload that has stored its file or a part of it, by `performance.now()`. */
  let storedAtMs = -Infinity;
  /** Whether the job has asked for the URLs of a file again. */
  let hasRenewed = false;

  const givenTo = async (item: DeliveryItem, signal: AbortSignal): Promise<GivenTarget> => {
    while (item.given === undefined || item.given.isRefused) await once(answers, placeIn(item.file), { signal });
    return item.given;
  };
  const store = async (
    { file }: DeliveryItem,
    given: GivenTarget,
    signal: AbortSignal,
  ): Promise<StoredFile | undefined> => {
    const options: UploadOptions = {
      jobId: job.jobId,
      dispatcher,
      mediaRoot,
      limits,
      counters,
      log: job.log,
      signal,
      onFolder: (path) => madeFolders.add(path),
      onProgress(bytes) {
        sent += bytes - (sentBytes.get(file) ?? 0);
        sentBytes.set(file, bytes);
        job.advance(phase, sent / totalBytes);
      },
    };
    const { target } = given;
    switch (target.kind) {
      case 'single':
        return uploadFile(
          { ...file, uploadUrl: target.url, headers: target.headers },
          // The disk may have changed since the target was given.
          { ...options, beforeTry: () => assertKept([target.url], kept) },
        );
      case 'multipart':
        await uploadInParts(file, target, given.storedParts, options);
        return undefined;
    }
  };
  const deliver = async (item: DeliveryItem, signal: AbortSignal): Promise<void> => {
    while (!item.isStored) {
      await givenTo(item, signal);
      await queue.add(async () => {
        signal.throwIfAborted();
        // The target may have been replaced while this file waited for its turn.
        const given = await givenTo(item, signal);
        const { size: partsBefore } = given.storedParts;
        storing += 1;
        watch.restart();
        try {
          item.stored = await store(item, given, AbortSignal.any([signal, given.replaced.signal]));
          item.isStored = true;
          counters.uploadedBytes += item.file.digest.size;
          if (meter !== undefined) meter.bytesOut += item.file.digest.size;
        } catch (error) {
          if (signal.aborted) throw error;
          if (given.replaced.signal.aborted) return;
          const { target, output, name } = item.file;
          // Each renewal requires that something was stored since the last one: no store can cause endless renewals.
          const hasAdvanced = storedAtMs > given.atMs || given.storedParts.size > partsBefore;
          const mayRenew = target === undefined && hasAdvanced;
          if (!mayRenew || !isSignatureRefusal(error)) throw ofOutput(error, output);
          given.isRefused = true;
          hasRenewed = true;
          job.log.warn({ output, name, error: (error as Error).message }, 'Upload URLs refused; asking for new ones');
        } finally {
          if (item.isStored || given.storedParts.size > partsBefore) storedAtMs = performance.now();
          storing -= 1;
          watch.restart();
        }
      });
    }
  };
  const deliverGroup = async (items: readonly DeliveryItem[], signal: AbortSignal): Promise<void> => {
    for (const step of deliverySteps(items)) {
      const tasks = step.map((item) => (stepSignal: AbortSignal) => deliver(item, stepSignal));
      await runPool(tasks, tasks.length, signal);
    }
  };

  if (phase === 'deliver') job.openDelivery(book);
  job.advance(phase, 0);
  watch.restart();
  const groups = [...Map.groupBy(book.items, ({ file }) => file.group ?? file.output).values()];
  try {
    const tasks = groups.map((items) => (signal: AbortSignal) => deliverGroup(items, signal));
    await runPool(tasks, tasks.length, AbortSignal.any([job.signal, watch.signal]));
  } catch (error) {
    book.close();
    // After the job was ended or abandoned, another job may have stored the same files.
    const mayBeReplaced = job.signal.aborted || watch.signal.aborted || hasRenewed || hasLostUpload(error);
    await Promise.all(
      book.items.map(async ({ given, isStored, stored }) => {
        if (given === undefined) return;
        const deps = { dispatcher, mediaRoot, log: job.log };
        await (isStored ? discardFile(given.target, { stored, mayBeReplaced }, deps) : abort(given.target));
      }),
    );
    for (const folder of madeFolders) await removeEmptyFolders(folder);
    throw error;
  } finally {
    watch.stop();
  }
}

/** Adds the index of the output, whose caller may have to renew its URLs. */
function ofOutput(error: unknown, output: number): unknown {
  if (!(error instanceof ServiceError)) return error;
  return new ServiceError(error.code, error.message, { details: { ...error.details, output }, cause: error });
}

/** Whether the store no longer accepts the upload or its signatures. Whoever follows a later job aborts these uploads. */
function hasLostUpload(error: unknown): boolean {
  return isSignatureRefusal(error) || isNoSuchUpload(error) || isBlockMissing(error);
}

function isSignatureRefusal(error: unknown): boolean {
  return error instanceof ServiceError && isCredentialRefusal(error.details?.['storeCode']);
}

/** Throws if one of the URLs is the place of an input. */
async function assertKept(urls: readonly string[], kept: KeptInputs): Promise<void> {
  for (const [index, url] of urls.entries()) {
    // An upload may have 10,000 parts.
    if (index % 500 === 499) await setImmediate();
    const field = await kept.fieldAt(url);
    if (field === undefined) continue;
    throw new ServiceError('invalid_request', `An upload URL cannot be used: it ${replacesInput(field)}.`);
  }
}
