import { z } from 'zod';

/** Names and terms of a recording, which its provider is told. Engines of Whisper read about 110 short words. */
export const Vocabulary = z
  .array(z.string().trim().min(1).max(60), { error: 'must be a list of words' })
  .min(1)
  .max(100);
export type Vocabulary = z.infer<typeof Vocabulary>;
