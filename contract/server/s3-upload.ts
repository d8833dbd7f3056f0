import { z } from 'zod';
import { maxParts } from '../http/upload-urls.ts';

/** Body of `POST /api/uploads/s3`. */
export const S3UploadRequest = z.strictObject({
  /** Name of the file; the server derives the object's name from it. */
  filename: z.string().min(1).max(1000),
  /** Media type. */
  filetype: z
    .string()
    .max(200)
    .regex(/^[\x20-\x7e]*$/, { error: 'must be a media type such as audio/wav' })
    .optional(),
  bytes: z.number().int().min(1),
});
export type S3UploadRequest = z.infer<typeof S3UploadRequest>;

/** An upload in parts straight to a bucket of S3 or Google, or to a container of Azure. */
export const S3UploadView = z.object({
  id: z.string(),
  /** `s3://…`, `az://…` or `gs://…`; a run's `sourceUrl` once the upload is complete. */
  source: z.string(),
  bytes: z.number().int(),
  parts: z.number().int(),
  /** Bytes per part; the last part may be smaller. */
  partBytes: z.number().int(),
  /** Numbers, from 1, of the parts that the bucket has received. */
  uploaded: z.array(z.number().int()),
});
export type S3UploadView = z.infer<typeof S3UploadView>;

/** Body of `POST /api/uploads/s3/{id}/parts`. */
export const S3PartsRequest = z.strictObject({
  /** Part numbers, from 1. */
  parts: z.array(z.number().int().min(1).max(maxParts)).min(1).max(100),
});
export type S3PartsRequest = z.infer<typeof S3PartsRequest>;

/** URL for each part's PUT, which must have no additional headers. */
export const S3PartUrls = z.object({
  urls: z.array(z.object({ part: z.number().int(), url: z.string() })),
  expiresAt: z.string(),
});
export type S3PartUrls = z.infer<typeof S3PartUrls>;

/** Answer of `POST /api/uploads/s3/{id}/complete`. */
export const CompletedS3Upload = z.object({ source: z.string(), bytes: z.number().int() });
export type CompletedS3Upload = z.infer<typeof CompletedS3Upload>;
