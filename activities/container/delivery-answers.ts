import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
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
import type { Attempt } from './attempt.ts';
import type { ContainerClient } from './client.ts';
import { ConnectionLost, ContainerAnswer } from './errors.ts';

export interface DeliveryDependencies {
  presigner: Presigner;
  multipart: MultipartUploads;
}

/** Clocks of stores and workers differ. */
const clockToleranceMs = 60_000;

/** Tells one job where its files go. What it creates at a store is in the attempt's state before anybody can lose it. */
export class DeliveryAnswers {
  readonly #container: ContainerClient;
  readonly #location: JobLocation;
  readonly #attempt: Attempt;
  readonly #places: readonly UploadPlace[];
  readonly #dependencies: DeliveryDependencies;
  #refused: ContainerAnswer | undefined;
  #mayHaveForgotten = false;

  constructor(
    container: ContainerClient,
    location: JobLocation,
    attempt: Attempt,
    places: readonly UploadPlace[],
    dependencies: DeliveryDependencies,
  ) {
    this.#container = container;
    this.#location = location;
    this.#attempt = attempt;
    this.#places = places;
    this.#dependencies = dependencies;
  }

  /** False where another try may help: the job is to be looked at again. */
  async answer(wanted: readonly WantedFile[]): Promise<boolean> {
    const { signal } = this.#attempt;
    try {
      const urls: FileUrls[] = [];
      for (const file of wanted) urls.push(await this.#urlsFor(file));
      await this.#container.giveUrls(this.#location, urls, signal);
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      // A file that somebody has answered for meanwhile. Where the job wants the same again, it is no such case.
      if (error instanceof ContainerAnswer && error.facts.status < 500) {
        if (this.#refused !== undefined) throw error;
        this.#refused = error;
        return false;
      }
      if (error instanceof ContainerAnswer || !isPassing(error)) throw error;
      Context.current().log.warn('The job could not be told where its files go; trying again', { error });
      // The container has answered for the job, and ends it where this goes on for too long.
      this.#attempt.heartbeat();
      return false;
    }
  }

  /** Ends the uploads in parts of jobs that are gone; `all`: of this one too. Those that the store does not let go stay in the state. */
  async abandonUploads(which: 'others' | 'all'): Promise<void> {
    const { uploads = [], ...rest } = this.#attempt.state;
    if (uploads.length === 0) return;
    const kept: StartedUpload[] = [];
    for (const upload of uploads) {
      const isGone = (which === 'all' || upload.jobId !== this.#location.jobId) && (await this.#abort(upload));
      if (!isGone) kept.push(upload);
    }
    this.#attempt.state = { ...rest, ...(kept.length > 0 && { uploads: kept }) };
  }

  /** All files are stored. */
  forgetUploads(): void {
    const { uploads: _, ...rest } = this.#attempt.state;
    this.#attempt.state = rest;
  }

  async #urlsFor({ output, name, size, contentType, cacheControl }: WantedFile): Promise<FileUrls> {
    const url = urlAt(this.#places[output], name);
    const object = isS3Url(url) ? parseS3Url(url) : undefined;
    const urls = new RequestUrls(this.#dependencies.presigner);
    const removal = object === undefined ? {} : { deleteUrl: await urls.resolveRemoval(url) };
    const plan = object === undefined ? undefined : this.#dependencies.multipart.plan(size);
    if (object === undefined || plan === undefined) {
      return { output, name, url: await urls.resolveUpload(url), ...removal };
    }
    const kept = { contentType, cacheControl };
    const uploadId = this.#startedFor(output, name) ?? (await this.#start(object, { output, name, url }, kept));
    const { partSize, parts } = plan;
    const signed = await this.#dependencies.multipart.sign(object, uploadId, parts);
    this.#attempt.heartbeat();
    return { output, name, partSize, ...signed, ...removal };
  }

  #startedFor(output: number, name: string): string | undefined {
    return this.#attempt.state.uploads?.find(
      (upload) => upload.jobId === this.#location.jobId && upload.output === output && upload.name === name,
    )?.uploadId;
  }

  async #start(
    object: S3Object,
    file: Pick<StartedUpload, 'output' | 'name' | 'url'>,
    kept: StoredHeaders,
  ): Promise<string> {
    const { multipart } = this.#dependencies;
    const attempt = this.#attempt;
    // A lost worker may have created one without a heartbeat that tells of it, or an answer of the store was lost. Nobody uses
    // such an upload: the file is wanted.
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
    attempt.state = { ...attempt.state, uploads: [...uploads, { jobId: this.#location.jobId, ...file, uploadId }] };
    attempt.heartbeat();
    return uploadId;
  }

  async #abort({ url, uploadId }: StartedUpload): Promise<boolean> {
    const object = parseS3Url(url);
    if (object === undefined) return true;
    try {
      // With a time limit of its own: the attempt may be cancelled.
      await this.#dependencies.multipart.abort(object, uploadId, AbortSignal.timeout(5_000));
      return true;
    } catch (error) {
      Context.current().log.warn('An upload in parts could not be aborted', { url, uploadId, error });
      return false;
    }
  }
}

/** Where a wanted file goes, as the workflow's input says it: `s3:`, `file:` or a URL of the caller. */
function urlAt(place: UploadPlace | undefined, name: string): string {
  if (typeof place === 'string' && name === '') return place;
  if (typeof place === 'object' && name !== '') return place.prefix + name;
  const [given, needed] = name === '' ? ['uploadUrlPrefix', 'uploadUrl'] : ['uploadUrl', 'uploadUrlPrefix'];
  throw ApplicationFailure.create({
    type: failureType('invalid_request'),
    message: `An output has ${name === '' ? 'one file' : 'several files'}, and the input gives its ${given}: give ${needed}`,
    nonRetryable: true,
    category: 'BENIGN',
  });
}

/** The container or the store could not be reached, or has no time: nothing that another try would meet again. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  if (!(error instanceof Error)) return false;
  if (error instanceof CredentialsUnavailable || isCredentialRefusal(error.name)) return true;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return true;
  if (untrustedReason(errnoOf(error)) !== undefined) return false;
  // Every error that the AWS SDK has of a request has this, and of an answer its status.
  if (!('$metadata' in error)) return false;
  const { httpStatusCode: status } = error.$metadata as { httpStatusCode?: number };
  return status === undefined || isTransientStoreAnswer(status, error.name);
}

function refusedByStore({ bucket }: S3Object, error: unknown): ApplicationFailure {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return ApplicationFailure.create({
    type: failureType('upload_refused'),
    message: `The store did not begin the upload to s3://${bucket}/…: ${reason}`,
    nonRetryable: true,
    category: 'BENIGN',
  });
}
