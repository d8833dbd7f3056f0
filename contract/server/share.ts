import { z } from 'zod';
import { EncodedOutput } from '../http/output.ts';
import { RunArchive, RunFile } from './run-file.ts';

/** Optional body of `POST /api/runs/{id}/share`. */
export const ShareRequest = z.strictObject({
  /** Lifetime of the link. */
  hours: z.number().int().min(1).max(720).default(168),
});
export type ShareRequest = z.infer<typeof ShareRequest>;

export const ShareView = z.object({
  /**
   * Path of a page for people without a token. The part after `#` is the ticket for `GET /api/shared`, and browsers do
   * not send it to servers.
   */
  url: z.string(),
  expiresAt: z.string(),
});
export type ShareView = z.infer<typeof ShareView>;

/** Facts of the results alone: no input, source, owner, timeline or error. */
const SharedOutput = EncodedOutput.pick({
  format: true,
  preset: true,
  analysis: true,
  image: true,
  package: true,
  container: true,
  contentType: true,
  bitrate: true,
  size: true,
  duration: true,
  channels: true,
  sampleRate: true,
  streams: true,
  loudness: true,
  width: true,
  height: true,
  chapterStarts: true,
  files: true,
});

/** Results of a run that somebody shared. */
export const SharedRun = z.object({
  endedAt: z.string().optional(),
  expiresAt: z.string(),
  outputs: z.array(SharedOutput),
  files: z.array(RunFile),
  archives: z.array(RunArchive),
});
export type SharedRun = z.infer<typeof SharedRun>;
