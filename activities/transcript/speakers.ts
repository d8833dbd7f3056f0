import type { WantedSpeakers } from '../../contract/speakers.ts';
import { clusterVoices, type VoiceWindow } from './cluster-voices.ts';
import type { SpokenSegment, SpokenWord } from '../../contract/transcript/spoken.ts';

/** Seconds. A word farther from every window is of a chunk without voices. */
const farthestSeconds = 2;

/**
 * Names the speaker of each word (pure): S1, S2, … in order of appearance. `wanted` is the number of speakers, or true
 * to find it. Undefined where no voice is known.
 */
function nameSpeakers(
  words: readonly { start: number; end: number }[],
  windows: readonly VoiceWindow[],
  wanted: WantedSpeakers,
): (string | undefined)[] {
  const ordered = windows.toSorted((one, other) => middleOf(one) - middleOf(other));
  const voices = clusterVoices(ordered, wanted === true ? undefined : wanted);
  const names = new Map<number | undefined, string>();
  let at = 0;
  return words.map((word) => {
    const middle = middleOf(word);
    const distance = (index: number) => {
      const window = ordered[index];
      return window === undefined ? Infinity : Math.abs(middleOf(window) - middle);
    };
    // Words are nearly in order: those of a join may begin a moment before the end of the word before.
    while (at > 0 && distance(at - 1) < distance(at)) at -= 1;
    while (at + 1 < ordered.length && distance(at + 1) <= distance(at)) at += 1;
    const window = ordered[at];
    if (window === undefined || window.start - word.end > farthestSeconds || word.start - window.end > farthestSeconds)
      return undefined;
    const voice = voices[at];
    const name = names.get(voice) ?? `S${names.size + 1}`;
    names.set(voice, name);
    return name;
  });
}

/**
 * Names the speaker of each word of these chunks' segments (pure), and divides segments where the speaker changes. The
 * windows are of all chunks, so that a name means the same speaker in each.
 */
export function nameSegments(
  chunks: readonly SpokenSegment[][],
  windows: readonly VoiceWindow[],
  wanted: WantedSpeakers,
): SpokenSegment[][] {
  const names = nameSpeakers(
    chunks.flat().flatMap(({ words }) => words),
    windows,
    wanted,
  );
  let at = 0;
  return chunks.map((segments) =>
    segments.flatMap((segment) => {
      const words = segment.words.map((word): SpokenWord => {
        const speaker = names[at++];
        return speaker === undefined ? word : { ...word, speaker };
      });
      return divide({ ...segment, words });
    }),
  );
}

function divide({ start, end, words }: SpokenSegment): SpokenSegment[] {
  const turns: SpokenWord[][] = [];
  for (const word of words) {
    const turn = turns.at(-1);
    if (turn !== undefined && turn[0]?.speaker === word.speaker) turn.push(word);
    else turns.push([word]);
  }
  return turns.map((turn, index) => ({
    start: index === 0 ? start : (turn[0]?.start ?? start),
    end: index === turns.length - 1 ? end : (turn.at(-1)?.end ?? end),
    words: turn,
  }));
}

function middleOf({ start, end }: { start: number; end: number }): number {
  return (start + end) / 2;
}
