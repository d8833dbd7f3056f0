import { z } from 'zod';

/** Answer of `GET /api/session`: the user, and the features of the server. */
export const SessionView = z.object({
  version: z.string(),
  scopes: z.array(z.enum(['read', 'run', 'operate'])),
  /** Owner whose runs the caller sees; undefined: everybody's. */
  owner: z.string().optional(),
  /** Whether the session is a browser sign-in, which POST /logout ends. */
  signedIn: z.boolean().optional(),
  /** Whether callers must send a token. */
  hasTokens: z.boolean(),
  /** Undefined if the server stores no files. */
  uploads: z.object({ maxBytes: z.number().int() }).optional(),
  /** Undefined if the server signs no uploads to a bucket. */
  s3Uploads: z.object({ maxBytes: z.number().int() }).optional(),
});
export type SessionView = z.infer<typeof SessionView>;
