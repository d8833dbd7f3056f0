import { z } from 'zod';

/** Resources that a job used with its slot. Containers of older versions report none. */
export const JobUsage = z.object({
  /** Seconds from the start to the end of the job. */
  seconds: z.number(),
  /** Processor seconds of the media tools (docs/usage.md). Undefined where the system does not report them. */
  cpuSeconds: z.number().optional(),
  /** Bytes read from sources and linked files. */
  bytesIn: z.number().int(),
  /** Bytes of stored files. */
  bytesOut: z.number().int(),
});
export type JobUsage = z.infer<typeof JobUsage>;

/** Calls of one provider key. */
export const ProviderUsage = z.object({
  /** Requests that the provider may have received. */
  calls: z.number().int(),
  /** Requests that the provider answered with a transcript. */
  answered: z.number().int(),
  /** Seconds of audio in the answered requests. */
  audioSeconds: z.number(),
  /** Price of the answered requests by the worker's settings at the time; undefined without a price. */
  cost: z.number().optional(),
});
export type ProviderUsage = z.infer<typeof ProviderUsage>;

/** Resources that a run used: the sum of its jobs, failed ones included, and its calls of providers. */
export const RunUsage = JobUsage.extend({
  jobs: z.number().int(),
  /** Usage by provider key; undefined without a call. */
  providers: z.record(z.string(), ProviderUsage).optional(),
});
export type RunUsage = z.infer<typeof RunUsage>;
