import { z } from 'zod';
import { azureWriteOf } from '../signed-url.ts';
import { findUploadHeadersProblem, TransferHeaders } from './headers.ts';
import { ContainerUploadUrl, HttpUrl } from './url.ts';

/** S3's limit for a multipart upload (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
export const maxParts = 10_000;
/** The last part may be smaller. */
export const minPartBytes = 5 * 1024 ** 2;

/** A finished file whose job waits for its URL. */
export const WantedFile = z.object({
  /** index of the output in the request */
  output: z.number().int(),
  /** Relative path, such as `master.m3u8`; empty for an output of one file. */
  name: z.string(),
  /** bytes */
  size: z.number().int(),
  contentType: z.string(),
  /** Packages only: value of the Cache-Control header. */
  cacheControl: z.string().optional(),
  /** base64, as in Content-MD5 (RFC 1864) */
  md5: z.string(),
});
export type WantedFile = z.infer<typeof WantedFile>;

const partFields = ['partUrls', 'partSize', 'completeUrl', 'abortUrl'] as const;

/** Whether the parts are blocks of an Azure blob. No request aborts such an upload. */
function isAzureUpload({ completeUrl }: { completeUrl?: string | undefined }): boolean {
  return completeUrl !== undefined && azureWriteOf(completeUrl) === 'blocklist';
}

/** Destination of one wanted file: one PUT to `url`, or parts. */
export const FileUrls = z
  .strictObject({
    output: z.number().int().min(0),
    name: z.string().max(1024).default(''),
    url: ContainerUploadUrl.optional(),
    /** Sent to `url`. */
    headers: TransferHeaders.optional(),
    /** One URL per part, in order. */
    partUrls: z.array(HttpUrl).min(1).max(maxParts).optional(),
    /** bytes of every part but the last */
    partSize: z.number().int().min(1).optional(),
    completeUrl: HttpUrl.optional(),
    abortUrl: HttpUrl.optional(),
    /** Deletes the stored file if the job does not succeed. */
    deleteUrl: HttpUrl.optional(),
  })
  .superRefine((urls, context) => {
    const given = partFields.filter((field) => urls[field] !== undefined);
    const needed = isAzureUpload(urls) ? partFields.filter((field) => field !== 'abortUrl') : partFields;
    if (given.length !== (urls.url === undefined ? needed.length : 0)) {
      context.addIssue({ code: 'custom', message: `give either url, or ${needed.join(', ')} together` });
      return;
    }
    if (urls.url === undefined && urls.headers !== undefined) {
      const message = 'are only for url: the requests of an upload in parts take none';
      context.addIssue({ code: 'custom', message, path: ['headers'] });
      return;
    }
    for (const url of urls.partUrls ?? [urls.url ?? '']) {
      const problem = findUploadHeadersProblem(url, urls);
      if (problem === undefined) continue;
      context.addIssue({ code: 'custom', message: problem, path: ['headers'] });
      return;
    }
  });
export type FileUrls = z.infer<typeof FileUrls>;

/** `POST /jobs/:id/upload-urls` */
export const UploadUrlsRequest = z.strictObject({
  urls: z.array(FileUrls).min(1).max(10_000),
});
export type UploadUrlsRequest = z.infer<typeof UploadUrlsRequest>;
