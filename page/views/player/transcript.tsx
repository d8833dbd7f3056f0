import { later } from '../later.tsx';
import type { TranscriptProps } from './transcript-view.tsx';

/** A run's transcript, without the player that it follows. */
export type ShownTranscript = Pick<TranscriptProps, 'place' | 'captions'>;

export const Transcript = later(async () => (await import('./transcript-view.tsx')).TranscriptView);
