import { escapeXml } from '../../contract/xml.ts';
import { requestSigned } from '../signed-http.ts';
import { StorageError, UnusableFile } from '../store-error.ts';
import type { Lifetime, SignedRequest, SigningStore, StoredPart, UnfinishedUpload } from '../store.ts';
import { type GoogleRequest, googleSigner } from './google-signer.ts';
import { parseGoogleUrl } from './google-url.ts';
import type { GoogleVariables } from './google-variables.ts';
import { elementsOf, textOf } from './xml.ts';

/** Lifetime of the signatures of this process's own requests. */
const ownSeconds = 300;

/**
 * Google Cloud Storage by its XML API, whose multipart uploads are those of S3
 * (https://cloud.google.com/storage/docs/multipart-uploads).
 */
export function openGoogleStore(variables: GoogleVariables, signedSeconds: number): SigningStore {
  const signed = googleSigner(variables);
  const signedAt = async (url: string, asked: Omit<GoogleRequest, 'path'>, lifetime: Lifetime): Promise<string> => {
    const object = parseGoogleUrl(url);
    if (object === undefined) throw new TypeError(`Not the URL of an object of Google Cloud Storage: ${url}`);
    return await signed({ ...asked, path: `/${object.bucket}/${object.key}` }, lifetime);
  };
  const ask = async (
    url: string,
    asked: Omit<GoogleRequest, 'path'>,
    signal: AbortSignal,
    sent: { headers?: Record<string, string>; body?: string } = {},
  ) => {
    const signedUrl = await signedAt(url, asked, { from: new Date(), expiresSeconds: ownSeconds });
    return await requestSigned({ url, signedUrl }, { headers: {}, ...sent, method: asked.method }, signal);
  };
  return {
    kind: 'signing',
    abortsUploads: true,

    async sign(url, request, lifetime = { from: new Date(), expiresSeconds: signedSeconds }) {
      const signedUrl = await signedAt(url, requestOf(request), lifetime);
      return { url: signedUrl, expiresAtMs: lifetime.from.getTime() + lifetime.expiresSeconds * 1000 };
    },

    async sizeOf(url, signal) {
      const answer = await ask(url, { method: 'HEAD', query: {} }, signal).catch(undefinedIfMissing);
      if (answer === undefined) return undefined;
      await answer.body.dump();
      const size = Number(answer.headers['content-length']);
      if (Number.isSafeInteger(size)) return size;
      // Google decompresses a file with `Content-Encoding: gzip` while it sends it.
      throw new StorageError(`The store does not report the length of ${url}`, false);
    },

    async beginUpload(url, { contentType, cacheControl }, signal) {
      const headers = {
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
      };
      const answer = await ask(url, { method: 'POST', query: { uploads: '' } }, signal, { headers });
      const uploadId = textOf(await answer.body.text(), 'UploadId');
      if (uploadId === undefined) throw new Error('The store answered without the id of the upload');
      return uploadId;
    },

    async listParts(url, uploadId, signal) {
      const parts: StoredPart[] = [];
      for (let marker: string | undefined = '0'; marker !== undefined;) {
        const query: Record<string, string> = { uploadId, 'part-number-marker': marker };
        const answer = await ask(url, { method: 'GET', query }, signal).catch(undefinedIfMissing);
        if (answer === undefined) return undefined;
        const page = await answer.body.text();
        const found = elementsOf(page, 'Part');
        for (const part of found) {
          parts.push({
            part: Number(textOf(part, 'PartNumber')),
            bytes: Number(textOf(part, 'Size')),
            etag: textOf(part, 'ETag') ?? '',
            storedAtMs: Date.parse(textOf(part, 'LastModified') ?? ''),
          });
        }
        const isLast = textOf(page, 'IsTruncated') !== 'true' || found.length === 0;
        marker = isLast ? undefined : textOf(page, 'NextPartNumberMarker');
      }
      return parts;
    },

    async completeUpload(url, uploadId, parts, signal) {
      const listed = parts.map(
        ({ part, etag }) => `<Part><PartNumber>${part}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
      );
      const body = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`;
      const answer = await ask(url, { method: 'POST', query: { uploadId } }, signal, { body });
      await answer.body.dump();
    },

    async abortUpload(url, uploadId, signal) {
      const answer = await ask(url, { method: 'DELETE', query: { uploadId } }, signal).catch(undefinedIfMissing);
      await answer?.body.dump();
    },

    async listUploads(prefix, signal) {
      // A bucket's own URL names no object.
      const { bucket, key } = parseGoogleUrl(`${prefix}-`) ?? { bucket: '', key: '-' };
      const uploads: UnfinishedUpload[] = [];
      let markers: Record<string, string> | undefined = {};
      while (markers !== undefined) {
        const query: Record<string, string> = { uploads: '', prefix: key.slice(0, -1), ...markers };
        const lifetime = { from: new Date(), expiresSeconds: ownSeconds };
        const signedUrl = await signed({ method: 'GET', path: `/${bucket}/`, query }, lifetime);
        const answer = await requestSigned({ url: prefix, signedUrl }, { method: 'GET', headers: {} }, signal);
        const page = await answer.body.text();
        for (const upload of elementsOf(page, 'Upload')) {
          const url = `gs://${bucket}/${textOf(upload, 'Key')}`;
          const startedAtMs = Date.parse(textOf(upload, 'Initiated') ?? '');
          uploads.push({ url, uploadId: textOf(upload, 'UploadId') ?? '', startedAtMs });
        }
        const [next, nextId] = [textOf(page, 'NextKeyMarker'), textOf(page, 'NextUploadIdMarker')];
        const isStuck: boolean = next === markers['key-marker'] && nextId === markers['upload-id-marker'];
        const isMore: boolean = textOf(page, 'IsTruncated') === 'true' && !isStuck;
        markers = isMore ? { 'key-marker': next ?? '', 'upload-id-marker': nextId ?? '' } : undefined;
      }
      return uploads;
    },
  };
}

function requestOf(request: SignedRequest): Omit<GoogleRequest, 'path'> {
  switch (request.kind) {
    case 'get': {
      const { contentType, disposition } = request.shown ?? {};
      return {
        method: 'GET',
        query: {
          ...(contentType !== undefined && { 'response-content-type': contentType }),
          ...(disposition !== undefined && { 'response-content-disposition': disposition }),
        },
      };
    }
    case 'put':
      return { method: 'PUT', query: {} };
    case 'delete':
      return { method: 'DELETE', query: {} };
    case 'part':
      return {
        method: 'PUT',
        query: { partNumber: String(request.part), uploadId: request.uploadId },
        bytes: request.bytes,
      };
    case 'complete':
      return { method: 'POST', query: { uploadId: request.uploadId } };
    case 'abort':
      return { method: 'DELETE', query: { uploadId: request.uploadId } };
  }
}

/** Google answers 403 if the account lacks a permission, also for an upload whose parts stay. */
function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof UnusableFile && error.status === 404)) throw error;
}
