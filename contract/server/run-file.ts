import { z } from 'zod';

/** A file of a run that the server can give. */
export const RunFile = z.object({
  kind: z.enum(['source', 'output']),
  /** Place of the output in the input. */
  index: z.number().int().optional(),
  /** Name for saving it. */
  name: z.string(),
  contentType: z.string(),
  bytes: z.number().int(),
  /** Signed: everybody who has it can get the file until then, without a token. */
  url: z.string(),
  expiresAt: z.string(),
});
export type RunFile = z.infer<typeof RunFile>;
