import { z } from 'zod';
import { haveOwnTargets, targetIssue } from '../signed-url.ts';
import { checkSourceHeaders, checkUploadHeaders, TransferHeaders } from './headers.ts';
import { audioFacts, EncodedOutput, RequestedOutput } from './output.ts';
import { SourceIdentity } from './source.ts';
import { ContainerSourceUrl } from './url.ts';

export const maxOutputs = 8;

/** Lower-case hex SHA-256 of the source's bytes; any other source is `checksum_mismatch`. */
export const Sha256Hex = z.string().regex(/^[0-9a-fA-F]{64}$/, { error: 'must be 64 hex digits' });

/** What the container's request and the workflows' inputs have in common. */
export const encodeRequestShape = {
  sourceUrl: ContainerSourceUrl,
  /** Sent to the source's origin. */
  headers: TransferHeaders.optional(),
  sourceSha256: Sha256Hex.optional(),
  /** false: one ffmpeg for all outputs, however many cores there are. */
  parallel: z.boolean().optional(),
};

export const EncodeRequest = z
  .strictObject({
    ...encodeRequestShape,
    outputs: z
      .array(RequestedOutput)
      .min(1)
      .max(maxOutputs)
      .refine(haveOwnTargets, targetIssue)
      .superRefine(checkUploadHeaders),
  })
  .superRefine(checkSourceHeaders);
export type EncodeRequest = z.infer<typeof EncodeRequest>;

export const SourceFacts = z.object({
  /** seconds, as decoded */
  duration: z.number(),
  /** Sources with audio only. */
  channels: audioFacts.channels.optional(),
  sampleRate: audioFacts.sampleRate.optional(),
  /** kbit/s */
  bitrate: z.number(),
  /**
   * Whether all of it is there, to its end; false also for a live recording that was stopped, `unknown` where the format cannot
   * tell. Optional, so that a worker understands containers of other versions.
   */
  complete: z.union([z.boolean(), z.literal('unknown')]).optional(),
});
export type SourceFacts = z.infer<typeof SourceFacts>;

export const EncodeResult = z.object({
  success: z.literal(true),
  jobId: z.string(),
  outputs: z.array(EncodedOutput),
  source: SourceFacts,
  /** The source as it was read. Optional, because containers of older versions omit it. */
  identity: SourceIdentity.optional(),
});
export type EncodeResult = z.infer<typeof EncodeResult>;
