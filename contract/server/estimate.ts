import { z } from 'zod';
import { maxOutputs } from '../http/encode.ts';
import { checkDescribedOutput, describedOutputShape } from '../http/output.ts';

/** An output by the settings that decide its time and size. Other fields, such as its place and its tags, are ignored. */
export const EstimatedOutput = z.object(describedOutputShape).omit({
  encryption: true,
  watermark: true,
  subtitles: true,
  presetSubtitles: true,
  metadata: true,
  chapters: true,
  cover: true,
});
export type EstimatedOutput = z.infer<typeof EstimatedOutput>;

/** Facts of the source, as `POST /api/inspect` returns them. An unknown fact matches every run. */
const EstimatedSource = z.strictObject({
  /** Seconds; eleven days at most. */
  duration: z.number().positive().max(1e6),
  /** Size of the file. */
  bytes: z.number().int().positive().optional(),
  /** Pixels. */
  width: z.number().int().positive().optional(),
  height: z.number().int().positive().optional(),
  fps: z.number().positive().optional(),
  channels: z.number().int().positive().optional(),
  /** Hz */
  sampleRate: z.number().int().positive().optional(),
});
export type EstimatedSource = z.infer<typeof EstimatedSource>;

/** Body of `POST /api/estimate`. */
export const EstimateRequest = z.strictObject({
  source: EstimatedSource,
  outputs: z.array(EstimatedOutput.superRefine(checkDescribedOutput)).min(1).max(maxOutputs),
});
export type EstimateRequest = z.infer<typeof EstimateRequest>;

/** What a run would use, from past runs of the same kind. */
export const EstimateView = z.object({
  /** Number of past runs that the estimate is based on. 0: nothing is known, and the other fields are missing. */
  runs: z.number().int(),
  /** Seconds in a container, without the wait for one. */
  seconds: z.number().optional(),
  /** Undefined where the system does not report processor time. */
  cpuSeconds: z.number().optional(),
  /** Bytes of each output, in the order of the request. */
  sizes: z.array(z.number().int()).optional(),
  /** Undefined without prices. */
  cost: z.number().optional(),
  /** ISO 4217; set if the cost is. */
  currency: z.string().optional(),
});
export type EstimateView = z.infer<typeof EstimateView>;
