import { Context } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import type { JobLocation, StartedUpload } from '../../contract/activity.ts';
import { failureType } from '../../contract/error-codes.ts';
import { isCredentialRefusal, isTransientStoreAnswer } from '../../contract/store-answer.ts';
import { untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import type { FileUrls, WantedFile } from '../../contract/http/upload-urls.ts';
import type { UploadPlace } from '../../contract/http/url.ts';
import type { MultipartUploads, StoredHeaders } from '../storage/multipart.ts';
import { type Presigner, RequestUrls } from '../storage/presign.ts';
import { CredentialsUnavailable } from '../storage/storage-error.ts';
import { isS3Url, parseS3Url, type S3Object } from '../../contract/s3-url.ts';
import { finalFailure } from '../final-failure.ts';
import type { Attempt } from './attempt.ts';
import type { ContainerClient } from './client.ts';
import { ConnectionLost, ContainerAnswer } from './errors.ts';

export interface DeliveryDependencies {
  presigner: Presigner;
  multipart: MultipartUploads;
}

interface Delivery extends DeliveryDependencies {
  container: ContainerClient;
  location: JobLocation;
  attempt: Attempt;
  places: readonly UploadPlace[];
}

/** Allowance for clock differences between store and worker. */
const clockToleranceMs = 60_000;

/** Sends one job its upload URLs. Created multipart uploads enter the attempt's state at once, so that none is lost. */
export class DeliveryAnswers {
  readonly #delivery: Delivery;
  #refused: ContainerAnswer | undefined;
  #mayHaveForgotten = false;

  constructor(delivery: Delivery) {
    this.#delivery = delivery;
  }

  /** Returns false if a retry may help; the caller then asks for the job's state again. */
  async answer(wanted: readonly WantedFile[]): Promise<boolean> {
    const { signal } = this.#delivery.attempt;
    try {
      const urls: FileUrls[] = [];
      for (const file of wanted) urls.push(await this.#urlsFor(file));
      await this.#delivery.container.giveUrls(this.#delivery.location, urls, signal);
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      // The file was answered meanwhile. If the job still wants it after that, the refusal is real.
      if (error instanceof ContainerAnswer && error.facts.status < 500) {
        if (this.#refused !== undefined) throw error;
        this.#refused = error;
        return false;
      }
      if (error instanceof ContainerAnswer || !isPassing(error)) throw error;
      Context.current().log.warn('Could not send upload URLs to the job; retrying', { error });
      // The container did answer, and it ends the job itself if the URLs stay missing.
      this.#delivery.attempt.heartbeat();
      return false;
    }
  }

  /** Aborts the multipart uploads of dead jobs, or of `all` jobs. Uploads that cannot be aborted stay in the state. */
  async abandonUploads(which: 'others' | 'all'): Promise<void> {
    const { uploads = [], ...rest } = this.#delivery.attempt.state;
    if (uploads.length === 0) return;
    const kept: StartedUpload[] = [];
    for (const upload of uploads) {
      const isAborted =
        (which === 'all' || upload.jobId !== this.#delivery.location.jobId) && (await this.#abort(upload));
      if (!isAborted) kept.push(upload);
    }
    this.#delivery.attempt.state = { ...rest, ...(kept.length > 0 && { uploads: kept }) };
  }

  /** Removes the uploads from the state once all files are stored. */
  forgetUploads(): void {
    const { uploads: _, ...rest } = this.#delivery.attempt.state;
    this.#delivery.attempt.state = rest;
  }

  async #urlsFor({ output, name, size, contentType, cacheControl }: WantedFile): Promise<FileUrls> {
    const url = urlAt(this.#delivery.places[output], name);
    const object = isS3Url(url) ? parseS3Url(url) : undefined;
    const urls = new RequestUrls(this.#delivery.presigner);
    const removal = object === undefined ? {} : { deleteUrl: await urls.resolveRemoval(url) };
    const plan = object === undefined ? undefined : this.#delivery.multipart.plan(size);
    if (object === undefined || plan === undefined) {
      return { output, name, url: await urls.resolveUpload(url), ...removal };
    }
    const kept = { contentType, cacheControl };
    const uploadId = this.#startedFor(output, name) ?? (await this.#start(object, { output, name, url }, kept));
    const { partSize, parts } = plan;
    const signed = await this.#delivery.multipart.sign(object, uploadId, parts);
    this.#delivery.attempt.heartbeat();
    return { output, name, partSize, ...signed, ...removal };
  }

  #startedFor(output: number, name: string): string | undefined {
    return this.#delivery.attempt.state.uploads?.find(
      (upload) => upload.jobId === this.#delivery.location.jobId && upload.output === output && upload.name === name,
    )?.uploadId;
  }

  async #start(
    object: S3Object,
    file: Pick<StartedUpload, 'output' | 'name' | 'url'>,
    kept: StoredHeaders,
  ): Promise<string> {
    const { multipart, attempt } = this.#delivery;
    // An upload may be unrecorded if a worker died before its heartbeat or the store's answer was lost. Nothing uses it,
    // because the job still wants the file.
    if (attempt.isTakenOver || this.#mayHaveForgotten) {
      const sinceMs = attempt.scheduledMs - clockToleranceMs;
      const forgotten = await multipart.findSince(object, sinceMs, attempt.signal).catch(() => []);
      for (const uploadId of forgotten) await multipart.abort(object, uploadId, attempt.signal);
    }
    const uploadId = await multipart.create(object, kept).catch((error: unknown) => {
      this.#mayHaveForgotten = true;
      throw isPassing(error) ? error : refusedByStore(object, error);
    });
    const { uploads = [] } = attempt.state;
    attempt.state = {
      ...attempt.state,
      uploads: [...uploads, { jobId: this.#delivery.location.jobId, ...file, uploadId }],
    };
    attempt.heartbeat();
    return uploadId;
  }

  async #abort({ url, uploadId }: StartedUpload): Promise<boolean> {
    const object = parseS3Url(url);
    if (object === undefined) return true;
    try {
      // A separate timeout, because the attempt may be cancelled.
      await this.#delivery.multipart.abort(object, uploadId, AbortSignal.timeout(5_000));
      return true;
    } catch (error) {
      Context.current().log.warn('Could not abort a multipart upload', { url, uploadId, error });
      return false;
    }
  }
}

/** Target of a wanted file from the workflow's input: `s3:`, `file:` or a URL of the caller. */
function urlAt(place: UploadPlace | undefined, name: string): string {
  if (typeof place === 'string' && name === '') return place;
  if (typeof place === 'object' && name !== '') return place.prefix + name;
  const [given, needed] = name === '' ? ['uploadUrlPrefix', 'uploadUrl'] : ['uploadUrl', 'uploadUrlPrefix'];
  throw finalFailure(
    failureType('invalid_request'),
    `An output has ${name === '' ? 'one file' : 'several files'}, but the input has ${given}: use ${needed}`,
  );
}

/** Whether a retry may help: the container or store was unreachable or overloaded. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  if (!(error instanceof Error)) return false;
  if (error instanceof CredentialsUnavailable || isCredentialRefusal(error.name)) return true;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return true;
  if (untrustedReason(errnoOf(error)) !== undefined) return false;
  // Every AWS SDK request error has `$metadata`, with the status if there was an answer.
  if (!('$metadata' in error)) return false;
  const { httpStatusCode: status } = error.$metadata as { httpStatusCode?: number };
  return status === undefined || isTransientStoreAnswer(status, error.name);
}

function refusedByStore({ bucket }: S3Object, error: unknown): ApplicationFailure {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return finalFailure(
    failureType('upload_refused'),
    `The store refused to start the upload to s3://${bucket}/…: ${reason}`,
  );
}
