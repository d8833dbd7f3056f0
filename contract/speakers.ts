import { z } from 'zod';

/** Names the speakers of a transcript: `true` finds how many there are; a number is how many there are. */
export const WantedSpeakers = z.union([z.literal(true), z.number().int().min(1).max(20)], {
  error: 'must be true, or the number of speakers, 1 to 20',
});
export type WantedSpeakers = z.infer<typeof WantedSpeakers>;
