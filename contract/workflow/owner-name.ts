import { z } from 'zod';

/** Temporal's SQL stores keep 255 characters of a search attribute and cannot find values with " or \. */
export const OwnerName = z.string().regex(/^(?=.*\S)[^\p{Cc}\p{Cs}"\\]{1,200}$/u, {
  error: 'must be a name of 1 to 200 characters on one line, without " and \\',
});
