import { z } from 'zod';
import { checkSourceHeaders, TransferHeaders } from './headers.ts';
import { ContainerSourceUrl } from './url.ts';

export const MetadataRequest = z
  .strictObject({ sourceUrl: ContainerSourceUrl, headers: TransferHeaders.optional() })
  .superRefine(checkSourceHeaders);
export type MetadataRequest = z.infer<typeof MetadataRequest>;

export const StreamFacts = z.object({
  index: z.number().int(),
  type: z.string(),
  codec: z.string(),
  channels: z.number().int().optional(),
  /** Hz */
  sampleRate: z.number().int().optional(),
  /** kbit/s */
  bitrate: z.number().optional(),
  /** pixels */
  width: z.number().int().optional(),
  /** pixels */
  height: z.number().int().optional(),
  /** frames per second */
  fps: z.number().optional(),
});
export type StreamFacts = z.infer<typeof StreamFacts>;

export const Chapter = z.object({ start: z.number(), end: z.number(), title: z.string().optional() });

export const MetadataResult = z.object({
  success: z.literal(true),
  /** Seconds of decoded audio; without audio, the header's duration. */
  duration: z.number(),
  format: z.string(),
  streams: z.array(StreamFacts),
  tags: z.record(z.string(), z.string()),
  chapters: z.array(Chapter),
});
export type MetadataResult = z.infer<typeof MetadataResult>;
