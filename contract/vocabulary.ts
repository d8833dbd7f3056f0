import { z } from 'zod';

/** Text in which a provider gets the words. */
export function promptOf(words: readonly string[]): string {
  return words.join(', ');
}

/** Whisper reads 224 tokens of about four characters. Groq refuses each call with a longer prompt. */
const mostCharacters = 896;

/** Names and terms of a recording, which its provider is told. */
export const Vocabulary = z
  .array(z.string().trim().min(1).max(60), { error: 'must be a list of words' })
  .min(1, { error: 'must have at least one word' })
  .max(100, { error: 'must have at most 100 words' })
  .refine((words) => promptOf(words).length <= mostCharacters, {
    error: `must have at most ${mostCharacters} characters, with a comma and a space between two words`,
  });
export type Vocabulary = z.infer<typeof Vocabulary>;
