import { z } from 'zod';

/** Answer of `GET /api/session`: the user, and the features of the server. */
export const SessionView = z.object({
  version: z.string(),
  scopes: z.array(z.enum(['read', 'run', 'operate'])),
  /** Whose runs the caller sees; missing: everybody's. */
  owner: z.string().optional(),
  /** Whether it is a session of the page, which POST /logout ends. */
  signedIn: z.boolean().optional(),
  /** Whether callers send a token. */
  hasTokens: z.boolean(),
  /** Missing where the server keeps no files. */
  uploads: z.object({ maxBytes: z.number().int() }).optional(),
  /** Missing where the server signs no uploads to a bucket. */
  s3Uploads: z.object({ maxBytes: z.number().int() }).optional(),
});
export type SessionView = z.infer<typeof SessionView>;
