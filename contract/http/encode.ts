import { z } from 'zod';
import { haveOwnTargets, targetIssue } from '../places.ts';
import { checkSourceHeaders, checkUploadHeaders, TransferHeaders } from './headers.ts';
import { audioFacts, EncodedOutput, RequestedOutput } from './output.ts';
import { JobUsage } from '../usage.ts';
import { EncodePart, PartResult } from './part.ts';
import { SourceIdentity } from './source.ts';
import { ContainerSourceUrl } from './url.ts';

export const maxOutputs = 8;

/** Hex SHA-256 of the source's bytes; any other source is `checksum_mismatch`. */
export const Sha256Hex = z.string().regex(/^[0-9a-fA-F]{64}$/, { error: 'must be 64 hex digits' });

/** Fields common to the container's request and the workflows' inputs. */
export const encodeRequestShape = {
  sourceUrl: ContainerSourceUrl,
  /** Sent to the source's origin. */
  headers: TransferHeaders.optional(),
  sourceSha256: Sha256Hex.optional(),
  /** false: one ffmpeg makes all outputs, however many cores exist. */
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
    /** Sent by workers for a run that is spread over containers. */
    part: EncodePart.optional(),
  })
  .superRefine(checkSourceHeaders);
export type EncodeRequest = z.infer<typeof EncodeRequest>;

export const SourceFacts = z.object({
  /** seconds, measured by decoding */
  duration: z.number(),
  /** Sources with audio only. */
  channels: audioFacts.channels.optional(),
  sampleRate: audioFacts.sampleRate.optional(),
  /** kbit/s; 0 if the file does not state it */
  bitrate: z.number(),
  /** Sources with pictures only: pixels, and pictures per second on average. Containers of older versions omit it. */
  pictures: z.object({ width: z.number().int(), height: z.number().int(), fps: z.number() }).optional(),
  /**
   * Whether the source is complete. `unknown`: its format cannot tell; false also for a live recording that was
   * stopped. Optional: containers of older versions omit it.
   */
  complete: z.union([z.boolean(), z.literal('unknown')]).optional(),
});
export type SourceFacts = z.infer<typeof SourceFacts>;

export const EncodeResult = z.object({
  success: z.literal(true),
  jobId: z.string(),
  outputs: z.array(EncodedOutput),
  source: SourceFacts,
  /** Identity of the source that was read. Optional: containers of older versions omit it. */
  identity: SourceIdentity.optional(),
  usage: JobUsage.optional(),
  /** Set if the request names a part that makes no output. */
  part: PartResult.optional(),
});
export type EncodeResult = z.infer<typeof EncodeResult>;
