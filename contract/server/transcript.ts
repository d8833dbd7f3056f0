import type { z } from 'zod';
import { Transcript } from '../transcript/transcript.ts';

/** A corrected transcript. The server derives `text` from the segments. */
export const TranscriptRequest = Transcript.omit({ text: true });
export type TranscriptRequest = z.infer<typeof TranscriptRequest>;
