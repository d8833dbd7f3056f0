import { z } from 'zod';

/** A file of a run that the server offers for download. */
export const RunFile = z.object({
  /** `correction`: the latest corrected version of the transcript. */
  kind: z.enum(['source', 'output', 'correction']),
  /** Index of the output in the input; undefined for the source, and for the transcript of an encode. */
  index: z.number().int().optional(),
  /** Number of a correction, from 1. */
  version: z.number().int().optional(),
  /** File name for saving. */
  name: z.string(),
  contentType: z.string(),
  bytes: z.number().int(),
  /** Signed: anyone who has the URL can download the file until it expires, without a token. */
  url: z.string(),
  expiresAt: z.string(),
});
export type RunFile = z.infer<typeof RunFile>;

/** An output of several files as one zip, which the server makes while it sends it. */
export const RunArchive = z.object({
  /** Index of the output in the input. */
  index: z.number().int(),
  /** File name for saving. */
  name: z.string(),
  /** Number of files in the zip. */
  files: z.number().int(),
  /** Signed, as the URL of a file. */
  url: z.string(),
  expiresAt: z.string(),
});
export type RunArchive = z.infer<typeof RunArchive>;
