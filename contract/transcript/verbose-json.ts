import type { Transcript } from './transcript.ts';

/** The whole transcript in the form of OpenAI's `verbose_json`, with the words of all segments in one list (pure). */
export function toVerboseJson({ text, language, duration, segments }: Transcript) {
  return {
    task: 'transcribe',
    language: language ?? null,
    duration,
    text,
    segments: segments.map(({ id, start, end, text: spoken, speaker }) => ({
      id,
      start,
      end,
      text: spoken,
      ...(speaker !== undefined && { speaker }),
    })),
    words: segments.flatMap(({ words = [] }) => words.map(({ text: word, ...times }) => ({ word, ...times }))),
  };
}
