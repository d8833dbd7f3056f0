import { z } from 'zod';
import { haveOwnTargets, targetIssue } from '../signed-url.ts';
import { checkSourceHeaders, checkUploadHeaders, TransferHeaders } from './headers.ts';
import { ContainerUrl } from './url.ts';

export const maxOutputs = 8;

/** `mp3_128`, `opus_24`, `flac` …: `<codec>` or `<codec>_<kbit/s>`. Which of them exist is decided with the source at hand: `unsupported_format`. */
export const FormatName = z.string().regex(/^[a-z][a-z0-9]{0,15}(?:_[1-9][0-9]{0,3})?$/, {
  error: 'must be a format such as mp3_128, aac_96, opus_24, flac or wav',
});

/** What an output is, wherever it goes. */
export const DescribedOutput = z.strictObject({
  format: FormatName,
  channels: z.number().int().min(1).max(8).optional(),
  /** Hz */
  sampleRate: z.number().int().min(1000).max(384_000).optional(),
});

export const RequestedOutput = DescribedOutput.extend({
  uploadUrl: ContainerUrl.optional(),
  headers: TransferHeaders.optional(),
  /** The job asks for the URL when the file is verified (docs/contract.md, "Delivery on demand"). */
  deliver: z.literal('on_demand').optional(),
}).refine(({ uploadUrl, deliver }) => (uploadUrl === undefined) !== (deliver === undefined), {
  error: 'give either uploadUrl or "deliver": "on_demand"',
  path: ['uploadUrl'],
});
export type RequestedOutput = z.infer<typeof RequestedOutput>;

/** Lower-case hex SHA-256 of the source's bytes; any other source is `checksum_mismatch`. */
export const Sha256Hex = z.string().regex(/^[0-9a-fA-F]{64}$/, { error: 'must be 64 hex digits' });

/** What the container's request and the workflows' inputs have in common. */
export const encodeRequestShape = {
  sourceUrl: ContainerUrl,
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

const audioFacts = {
  channels: z.number().int(),
  /** Hz */
  sampleRate: z.number().int(),
};

/** One stream of an output. */
export const EncodedStream = z.object({
  kind: z.literal('audio'),
  /** as ffprobe names it */
  codec: z.string(),
  /** kbit/s; missing for a lossless codec */
  bitrate: z.number().optional(),
  ...audioFacts,
});
export type EncodedStream = z.infer<typeof EncodedStream>;

export const EncodedOutput = z.object({
  format: z.string(),
  /** What the file is, such as `m4a`. Optional, as `streams` is, so that a worker understands containers of other versions. */
  container: z.string().optional(),
  /** kbit/s: the target where the format names one, else the measured average. */
  bitrate: z.number(),
  /** bytes */
  size: z.number().int(),
  /** seconds */
  duration: z.number(),
  /** Of the audio, where there is any. */
  channels: audioFacts.channels.optional(),
  sampleRate: audioFacts.sampleRate.optional(),
  streams: z.array(EncodedStream).optional(),
  sha256: z.string(),
  /** How many encoders made it side by side, one for each segment; 1: it was not split. */
  segments: z.number().int().optional(),
  /** Where segments meet. `exact`: both encoders wrote the same frames there. `matched`: frames that fit together as the codec needs it. */
  seams: z.object({ exact: z.number().int(), matched: z.number().int() }).optional(),
});
export type EncodedOutput = z.infer<typeof EncodedOutput>;

export const SourceFacts = z.object({
  /** seconds, as decoded */
  duration: z.number(),
  /** Of the audio, where there is any. */
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
});
export type EncodeResult = z.infer<typeof EncodeResult>;
