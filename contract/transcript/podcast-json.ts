import type { Transcript } from './transcript.ts';

/** The transcript as podcast players read it: JSON of the podcast namespace, version 1.0.0 (pure). */
export function toPodcastJson({ segments }: Transcript) {
  return {
    version: '1.0.0',
    segments: segments.map(({ start, end, text, speaker }) => ({
      ...(speaker !== undefined && { speaker }),
      startTime: start,
      endTime: end,
      body: text,
    })),
  };
}
