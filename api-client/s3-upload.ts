import type { CompletedS3Upload, S3PartUrls, S3UploadRequest, S3UploadView } from '../contract/server/s3-upload.ts';
import type { ServerConnection } from './connection.ts';
import { HoldfastError } from './holdfast-error.ts';
import type { FileUploadOptions } from './upload.ts';

/** After them it throws, and a person decides. What was sent stays in the bucket. */
const retryDelaysMs = [0, 1_000, 3_000, 5_000, 10_000, 20_000];
/** A line is rarely full with one. */
const partsAtOnce = 3;

export interface S3UploadOptions extends FileUploadOptions {
  to: 's3';
  /** Of an upload of the same file that was cut, as `onBegin` had it: it goes on with the parts that are missing. */
  id?: string;
  /** Called with the id when the upload has begun. */
  onBegin?: (id: string) => void;
}

/** Sends a file in parts straight to the bucket of the server, which signs each part. */
export async function sendToS3(
  connection: ServerConnection,
  file: Blob,
  { name, type, id, onBegin, onProgress, signal }: S3UploadOptions,
): Promise<string> {
  const ask = async <Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> => {
    const response = await connection.request(method, `/api/uploads/s3${path}`, { signal, ...(body && { body }) });
    return (await response.json()) as Answer;
  };
  const filetype = type ?? file.type;
  const filename = name ?? (file instanceof File ? file.name : 'file');
  const wanted = { filename, bytes: file.size, ...(filetype !== '' && { filetype }) } satisfies S3UploadRequest;
  const upload = await (id === undefined
    ? ask<S3UploadView>('POST', '', wanted)
    : ask<S3UploadView>('GET', `/${encodeURIComponent(id)}`));
  const { parts, partBytes } = upload;
  if (id === undefined) onBegin?.(upload.id);
  const path = `/${encodeURIComponent(upload.id)}`;
  const partOf = (part: number): Blob => file.slice((part - 1) * partBytes, part * partBytes);
  const sent = new Set(upload.uploaded);
  const tell = (): void => onProgress?.([...sent].reduce((bytes, part) => bytes + partOf(part).size, 0));
  const missing = Array.from({ length: parts }, (_, index) => index + 1).filter((part) => !sent.has(part));
  const failed = new AbortController();
  const sendPart = async (part: number): Promise<void> => {
    await withRetries(async () => {
      // Signed when its turn comes: a URL holds for an hour.
      const { urls } = await ask<S3PartUrls>('POST', `${path}/parts`, { parts: [part] });
      const ended = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
      await put(urls[0]?.url ?? '', partOf(part), ended);
    }, signal);
    sent.add(part);
    tell();
  };
  const sendMissing = async (): Promise<void> => {
    for (let part = missing.shift(); part !== undefined; part = missing.shift()) await sendPart(part);
  };
  tell();
  try {
    await Promise.all(Array.from({ length: partsAtOnce }, sendMissing));
  } catch (error) {
    // The others are not to go on behind the caller's back.
    missing.length = 0;
    failed.abort(error);
    throw error;
  }
  const complete = async (): Promise<CompletedS3Upload> => await ask('POST', `${path}/complete`);
  return (await withRetries(complete, signal)).source;
}

async function put(url: string, body: Blob, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { method: 'PUT', body, signal }).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    throw new HoldfastError('The bucket does not answer, or does not allow this page to send to it (CORS).', {
      ...{ status: 0, cause },
    });
  });
  await response.body?.cancel();
  if (response.ok) return;
  throw new HoldfastError(`The bucket refused a part of the upload: it answered ${response.status}.`, {
    status: response.status,
  });
}

/** Of what may pass: a cut line, a store or a server that is away, a URL that has expired. */
async function withRetries<Result>(act: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof HoldfastError) || !mayPass(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    signal?.throwIfAborted();
  }
  return await act();
}

function mayPass({ status, code }: HoldfastError): boolean {
  const isOfBucket = code === undefined;
  return status === 0 || status === 429 || status >= 500 || (isOfBucket && status === 403);
}
