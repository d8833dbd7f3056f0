import { z } from 'zod';
import { checkSourceHeaders, TransferHeaders } from './headers.ts';
import { ContainerSourceUrl } from './url.ts';

export const SourceRequest = z
  .strictObject({ sourceUrl: ContainerSourceUrl, headers: TransferHeaders.optional() })
  .superRefine(checkSourceHeaders);
export type SourceRequest = z.infer<typeof SourceRequest>;

/** Facts that identify the bytes of a source, as far as its server states them. */
export const SourceIdentity = z.object({
  /** bytes */
  size: z.number().int().optional(),
  /** A strong ETag, else a Last-Modified that is one (RFC 9110, 8.8); of a file when it was changed. */
  validator: z.string().optional(),
  /** Hash of the location. A validator tells versions of one source apart, but not two sources (RFC 9110, 8.8.1). */
  place: z.string().optional(),
  /** Where it was asked for, and compared. */
  sha256: z.string().optional(),
});
export type SourceIdentity = z.infer<typeof SourceIdentity>;

/** The answer of `POST /source`. */
export const SourceResult = SourceIdentity.extend({ success: z.literal(true) });
export type SourceResult = z.infer<typeof SourceResult>;
