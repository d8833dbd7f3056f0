import { Context } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import type { JobLocation, StartedUpload } from '../../contract/activity.ts';
import { failureType } from '../../contract/error-codes.ts';
import { type PartSizes, planParts, usualPartSizes } from '../../contract/part-plan.ts';
import type { FileUrls, WantedFile } from '../../contract/http/upload-urls.ts';
import type { UploadPlace } from '../../contract/http/url.ts';
import { needsSigning, type Stores } from '../../stores/backends.ts';
import { parseObjectUrl } from '../../stores/object-url.ts';
import type { ObjectHeaders } from '../../stores/store.ts';
import { StorageError } from '../../stores/store-error.ts';
import { finalFailure } from '../final-failure.ts';
import {
  abortParts,
  beginParts,
  mostPartsOf,
  mostUrlBytes,
  type PartedStore,
  receivesParts,
} from '../storage/part-urls.ts';
import { RequestUrls } from '../storage/request-urls.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient } from './client.ts';
import { ConnectionLost, ContainerAnswer, UnexpectedReply } from './errors.ts';

export interface DeliveryDependencies {
  stores: Stores;
  partSizes?: PartSizes;
}

interface Delivery extends DeliveryDependencies {
  container: ContainerClient;
  location: JobLocation;
  attempt: Attempt;
  places: readonly UploadPlace[];
}

/** A healthy store answers at once. */
const answerTimeoutMs = 8_000;

/** Milliseconds. A job waits longer for its next URLs (UPLOAD_URLS_TIMEOUT_SECONDS). */
const giveAfterMs = 10_000;

/** Allowance for clock differences between store and worker. */
const clockToleranceMs = 60_000;

/** A disk is back by then if another server takes it over. Otherwise the fault ends the job, and the attempt states it. */
const diskPatienceMs = 30_000;

/** Whether the container could not reach the disk of a `file:` URL. The job waits for the URL again. */
function isFaultOfDisk(error: unknown): boolean {
  return error instanceof ContainerAnswer && error.facts.code === 'upload_failed';
}

/** Sends one job its upload URLs. Created multipart uploads enter the attempt's state at once, so that none is lost. */
export class DeliveryAnswers {
  readonly #delivery: Delivery;
  #refused: ContainerAnswer | undefined;
  #mayHaveForgotten = false;
  /** When the current series of disk faults began, by `performance.now()`. */
  #diskFailedMs: number | undefined;

  constructor(delivery: Delivery) {
    this.#delivery = delivery;
  }

  /** Returns false if a retry may help; the caller then asks for the job's state again. */
  async answer(wanted: readonly WantedFile[]): Promise<boolean> {
    const { signal } = this.#delivery.attempt;
    try {
      for await (const urls of this.#requests(wanted)) {
        // The next worker has aborted the uploads of this frozen one, and the job may use other uploads by now.
        if (urls.some(({ partUrls }) => partUrls !== undefined)) await this.#delivery.attempt.confirm();
        await this.#delivery.container.giveUrls(this.#delivery.location, urls, signal);
      }
      this.#refused = undefined;
      this.#diskFailedMs = undefined;
      return true;
    } catch (error) {
      if (signal.aborted || error instanceof UnexpectedReply) throw error;
      // The file was answered meanwhile. If the job asks for it again, the refusal is real.
      if (error instanceof ContainerAnswer && error.facts.status < 500) {
        if (this.#refused !== undefined) throw error;
        this.#refused = error;
        return false;
      }
      if (!(isFaultOfDisk(error) ? this.#mayReturn() : isPassing(error))) throw error;
      Context.current().log.warn('Could not send upload URLs to the job; retrying', { error });
      // The container did answer; it ends the job itself if the URLs stay missing.
      this.#delivery.attempt.heartbeat();
      return false;
    }
  }

  /** Whether the disk may still return. */
  #mayReturn(): boolean {
    this.#diskFailedMs ??= performance.now();
    return performance.now() - this.#diskFailedMs < diskPatienceMs;
  }

  /** Aborts the multipart uploads of dead jobs, or of `all` jobs. Uploads that cannot be aborted stay in the state. */
  async abandonUploads(which: 'others' | 'all'): Promise<void> {
    const { uploads = [] } = this.#delivery.attempt.state;
    if (uploads.length === 0) return;
    const kept: StartedUpload[] = [];
    for (const upload of uploads) {
      const isAborted =
        (which === 'all' || upload.jobId !== this.#delivery.location.jobId) && (await this.#abort(upload));
      if (!isAborted) kept.push(upload);
    }
    this.#delivery.attempt.set({ uploads: kept.length > 0 ? kept : undefined });
  }

  /** Removes the uploads from the state once all files are stored. */
  forgetUploads(): void {
    this.#delivery.attempt.set({ uploads: undefined });
  }

  /** The URLs of all files, as lists that fit into one request each. A store may need seconds for the signatures. */
  async *#requests(wanted: readonly WantedFile[]): AsyncGenerator<FileUrls[]> {
    let urls: FileUrls[] = [];
    let bytes = 0;
    let givenMs = performance.now();
    for (const file of wanted) {
      const next = await this.#urlsFor(file);
      const more = Buffer.byteLength(JSON.stringify(next));
      const isDue = bytes + more > mostUrlBytes || performance.now() - givenMs > giveAfterMs;
      if (urls.length > 0 && isDue) {
        yield urls;
        [urls, bytes, givenMs] = [[], 0, performance.now()];
      }
      urls.push(next);
      bytes += more;
    }
    yield urls;
  }

  async #urlsFor({ output, name, size, contentType, cacheControl }: WantedFile): Promise<FileUrls> {
    const url = urlAt(this.#delivery.places[output], name);
    const { stores, attempt, partSizes = usualPartSizes } = this.#delivery;
    const urls = new RequestUrls(stores, attempt.run);
    const store = await stores.at(url);
    const removal = needsSigning(url) ? { deleteUrl: await urls.resolveRemoval(url) } : {};
    const plan = planParts(size, partSizes, mostPartsOf(url));
    if (!receivesParts(store) || plan === undefined) {
      return { output, name, url: await urls.resolveUpload(url), ...removal };
    }
    const headers = { contentType, cacheControl };
    const uploadId = this.#startedFor(output, name) ?? (await this.#start(store, { output, name, url }, headers));
    const signed = await urls.resolveParts(store, url, uploadId, size, plan);
    attempt.heartbeat();
    return { output, name, partSize: plan.partSize, ...signed, ...removal };
  }

  #startedFor(output: number, name: string): string | undefined {
    return this.#delivery.attempt.state.uploads?.find(
      (upload) => upload.jobId === this.#delivery.location.jobId && upload.output === output && upload.name === name,
    )?.uploadId;
  }

  async #start(
    store: PartedStore,
    file: Pick<StartedUpload, 'output' | 'name' | 'url'>,
    headers: ObjectHeaders,
  ): Promise<string> {
    const { attempt } = this.#delivery;
    // Nobody would abort an upload that a frozen worker starts after it has lost its job.
    await attempt.confirm();
    // If a worker died before its heartbeat or a store's answer was lost, an upload may be unrecorded. Nothing uses it,
    // because the job still asks for the file.
    if (store.kind === 'signing' && (attempt.isTakenOver || this.#mayHaveForgotten)) {
      const sinceMs = attempt.scheduledMs - clockToleranceMs;
      const uploads = await store.listUploads(file.url, soon(attempt.signal)).catch(() => []);
      for (const { url, uploadId, startedAtMs } of uploads) {
        if (url === file.url && startedAtMs >= sinceMs) await store.abortUpload(url, uploadId, soon(attempt.signal));
      }
    }
    // This request ignores cancellation: an interrupted request could create an upload that nobody knows.
    const begun = beginParts(store, file.url, headers, AbortSignal.timeout(answerTimeoutMs));
    const uploadId = await begun.catch((error: unknown) => {
      this.#mayHaveForgotten = true;
      throw isPassing(error) ? error : refusedByStore(file.url, error);
    });
    const { uploads = [] } = attempt.state;
    attempt.set({ uploads: [...uploads, { jobId: this.#delivery.location.jobId, ...file, uploadId }] });
    attempt.heartbeat();
    return uploadId;
  }

  async #abort({ url, uploadId }: StartedUpload): Promise<boolean> {
    const store = await this.#delivery.stores.at(url);
    if (!receivesParts(store)) return true;
    try {
      // A separate timeout, because the attempt may be cancelled.
      await abortParts(store, url, uploadId, AbortSignal.timeout(5_000));
      return true;
    } catch (error) {
      Context.current().log.warn('Could not abort a multipart upload', { url, uploadId, error });
      return false;
    }
  }
}

/** Target of a wanted file from the workflow's input: a URL of a store, or of the caller. */
function urlAt(place: UploadPlace | undefined, name: string): string {
  if (place === undefined)
    throw new UnexpectedReply('The container asked for URLs of an output that was not requested');
  if (!isRelativePath(name)) throw new UnexpectedReply(`The container named a file outside of its folder: ${name}`);
  if (typeof place === 'string' && name === '') return place;
  if (typeof place === 'object' && name !== '') return place.prefix + name;
  const [given, needed] = name === '' ? ['uploadUrlPrefix', 'uploadUrl'] : ['uploadUrl', 'uploadUrlPrefix'];
  throw finalFailure(
    failureType('invalid_request'),
    `An output has ${name === '' ? 'one file' : 'several files'}, but the input has ${given}: use ${needed}`,
  );
}

/** Whether every part of the path names a file or folder below the prefix; `..` would leave it. Empty: the output itself. */
function isRelativePath(name: string): boolean {
  return (
    name === '' || name.split('/').every((part) => /^[^\\\p{Cc}?#]+$/u.test(part) && part !== '.' && part !== '..')
  );
}

function soon(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
}

/** Whether a retry may help: the container or store was unreachable or overloaded. */
function isPassing(error: unknown): boolean {
  if (error instanceof StorageError) return error.passing;
  if (error instanceof ConnectionLost) return true;
  return error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name);
}

function refusedByStore(url: string, error: unknown): ApplicationFailure {
  const cause = error instanceof StorageError ? (error.cause ?? error) : error;
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  const root = parseObjectUrl(url)?.root;
  return finalFailure(failureType('upload_refused'), `The store refused to start the upload to ${root}…: ${reason}`);
}
