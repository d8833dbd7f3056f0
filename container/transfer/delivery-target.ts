import type { TransferHeaders } from '../../contract/http/headers.ts';
import { minPartBytes, type FileUrls } from '../../contract/http/upload-urls.ts';
import { pathKeys, targetKeys } from '../../contract/places.ts';
import { splitQuery, stripSignature } from '../../contract/signed-url.ts';

/** Destination of one file: a single PUT, the parts of an S3 multipart upload, or the blocks of an Azure blob. */
export type DeliveryTarget = (
  | { kind: 'single'; url: string; headers?: TransferHeaders | undefined }
  | {
      kind: 'multipart';
      partUrls: readonly string[];
      partSize: number;
      completeUrl: string;
      /** Undefined if the store removes parts by itself, as Azure does. */
      abortUrl: string | undefined;
    }
) & {
  /** Deletes the stored file. */
  deleteUrl?: string | undefined;
};

/** Target that a request gives for an output; undefined if the caller wants to be asked. */
export function singleTarget(output: {
  uploadUrl?: string | undefined;
  headers?: TransferHeaders | undefined;
}): DeliveryTarget | undefined {
  const { uploadUrl, headers } = output;
  return uploadUrl === undefined ? undefined : { kind: 'single', url: uploadUrl, headers };
}

/** The schema guarantees the fields of one of the two kinds. */
export function targetOf({
  url,
  headers,
  partUrls,
  partSize,
  completeUrl,
  abortUrl,
  deleteUrl,
}: FileUrls): DeliveryTarget {
  if (url !== undefined) return { kind: 'single', url, headers, deleteUrl };
  return {
    kind: 'multipart',
    partUrls: partUrls ?? [],
    partSize: partSize ?? 0,
    completeUrl: completeUrl ?? '',
    abortUrl,
    deleteUrl,
  };
}

export function urlsOf(target: DeliveryTarget): readonly string[] {
  const urls = target.kind === 'single' ? [target.url] : [...target.partUrls, target.completeUrl, target.abortUrl];
  return [...urls, target.deleteUrl].filter((url) => url !== undefined);
}

/** Targets of one object have one of these in common, however they are signed. */
export function placesOfTarget(target: DeliveryTarget): string[] {
  return target.kind === 'single' ? targetKeys(target.url) : pathKeys(target.completeUrl);
}

/** Whether both are the same upload at the store, perhaps signed again: bytes sent to one exist for the other. */
export function isSameUpload(one: DeliveryTarget, other: DeliveryTarget): boolean {
  return (
    one.kind === 'multipart' &&
    other.kind === 'multipart' &&
    one.partSize === other.partSize &&
    stripSignature(one.partUrls[0] ?? '') === stripSignature(other.partUrls[0] ?? '')
  );
}

export function isSameTarget(one: DeliveryTarget, other: DeliveryTarget): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Why an upload that fails would remove another object than its own, or undefined. */
export function removalProblem(target: DeliveryTarget): string | undefined {
  const { deleteUrl } = target;
  const own = pathKeys(target.kind === 'single' ? target.url : target.completeUrl);
  const isOwn = (url: string): boolean => pathKeys(url).some((path) => own.includes(path));
  if (deleteUrl !== undefined && isSignedForStore(deleteUrl) && !isOwn(deleteUrl)) {
    return 'its deleteUrl is for another object';
  }
  const isWhole = (url: string): boolean => isSignedForStore(url) && queryOf(url, 'uploadid') === undefined;
  return target.kind === 'multipart' && target.abortUrl !== undefined && isWhole(target.abortUrl)
    ? 'its abortUrl has no uploadId, and would delete the object'
    : undefined;
}

/** Largest object of one PUT to S3 (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const maxSinglePutBytes = 5 * 1024 ** 3;

/** Why a file of this size cannot be written to the target, or undefined. */
export function sizeProblem(target: DeliveryTarget, size: number): string | undefined {
  switch (target.kind) {
    case 'single': {
      if (!isSignedForS3(target.url)) return undefined;
      if (size > maxSinglePutBytes) {
        return `the file has ${size} bytes, and S3 takes ${maxSinglePutBytes} in one PUT: ask for it on demand and give URLs for parts`;
      }
      const signedLength = queryOf(target.url, 'content-length');
      return signedLength === undefined || signedLength === String(size)
        ? undefined
        : `the file has ${size} bytes, and its URL is signed for ${signedLength}`;
    }
    case 'multipart': {
      const { partUrls, partSize } = target;
      const needed = Math.max(1, Math.ceil(size / partSize));
      if (partUrls.length !== needed) {
        return `${size} bytes in parts of ${partSize} need ${needed} partUrls, not ${partUrls.length}`;
      }
      return needed > 1 && partSize < minPartBytes
        ? `partSize is ${partSize}, and every part but the last must have at least ${minPartBytes} bytes`
        : undefined;
    }
  }
}

function isSignedForStore(url: string): boolean {
  return splitQuery(new URL(url).search).isOfStore;
}

/** Recognises versions 4 and 2 of AWS's signatures. */
function isSignedForS3(url: string): boolean {
  return (
    queryOf(url, 'x-amz-signature') !== undefined ||
    (queryOf(url, 'awsaccesskeyid') !== undefined && queryOf(url, 'signature') !== undefined)
  );
}

function queryOf(url: string, name: string): string | undefined {
  return [...new URL(url).searchParams].find(([key]) => key.toLowerCase() === name)?.[1];
}
