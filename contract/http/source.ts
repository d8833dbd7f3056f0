import { z } from 'zod';
import { checkSourceHeaders, TransferHeaders } from './headers.ts';
import { ContainerSourceUrl } from './url.ts';

export const SourceRequest = z
  .strictObject({ sourceUrl: ContainerSourceUrl, headers: TransferHeaders.optional() })
  .superRefine(checkSourceHeaders);
export type SourceRequest = z.infer<typeof SourceRequest>;

/** Identity of a source's bytes, as far as its server states it. */
export const SourceIdentity = z.object({
  /** bytes */
  size: z.number().int().optional(),
  /** Strong ETag, else a strong Last-Modified (RFC 9110, 8.8); for a file, its time of change. */
  validator: z.string().optional(),
  /** Hash of the location. A validator distinguishes versions of one source, but not two sources (RFC 9110, 8.8.1). */
  place: z.string().optional(),
  /** Set if it was requested or compared. */
  sha256: z.string().optional(),
});
export type SourceIdentity = z.infer<typeof SourceIdentity>;

/** Answer of `POST /source`. */
export const SourceResult = SourceIdentity.extend({ success: z.literal(true) });
export type SourceResult = z.infer<typeof SourceResult>;
