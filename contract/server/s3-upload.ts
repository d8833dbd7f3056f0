import { z } from 'zod';
import { maxParts } from '../http/upload-urls.ts';

/** The body of `POST /api/uploads/s3`. */
export const S3UploadRequest = z.strictObject({
  /** What the file is called; the server makes a name of its own with it. */
  filename: z.string().min(1).max(1000),
  /** Its media type. */
  filetype: z
    .string()
    .max(200)
    .regex(/^[\x20-\x7e]*$/, { error: 'must be a media type such as audio/wav' })
    .optional(),
  bytes: z.number().int().min(1),
});
export type S3UploadRequest = z.infer<typeof S3UploadRequest>;

/** An upload that goes in parts straight to the bucket. */
export const S3UploadView = z.object({
  id: z.string(),
  /** `s3://…`, which a run may have as its `sourceUrl` when the upload is complete. */
  source: z.string(),
  bytes: z.number().int(),
  parts: z.number().int(),
  /** The last part may be smaller. */
  partBytes: z.number().int(),
  /** The numbers of those that the bucket has whole, from 1. */
  uploaded: z.array(z.number().int()),
});
export type S3UploadView = z.infer<typeof S3UploadView>;

/** The body of `POST /api/uploads/s3/{id}/parts`. */
export const S3PartsRequest = z.strictObject({
  /** Their numbers, from 1. */
  parts: z.array(z.number().int().min(1).max(maxParts)).min(1).max(100),
});
export type S3PartsRequest = z.infer<typeof S3PartsRequest>;

/** Where each is put, by a PUT of its bytes without any header of one's own. */
export const S3PartUrls = z.object({
  urls: z.array(z.object({ part: z.number().int(), url: z.string() })),
  expiresAt: z.string(),
});
export type S3PartUrls = z.infer<typeof S3PartUrls>;

/** The answer of `POST /api/uploads/s3/{id}/complete`. */
export const CompletedS3Upload = z.object({ source: z.string(), bytes: z.number().int() });
export type CompletedS3Upload = z.infer<typeof CompletedS3Upload>;
