import type { ChapterPauses } from '../../contract/http/silence.ts';
import { maxChapters } from '../../contract/http/tags.ts';
import { type CutPlan, cutSamples, placeAfterCut } from '../plan/cut-plan.ts';
import { findSilences, marginSeconds } from '../source/silence.ts';
import type { AudioSource } from '../source/source.ts';
import type { PlacedChapter } from '../source/source-tags.ts';
import { cleanLine } from '../source/clean-text.ts';

/** Seconds. A reader's sentences are up to a second apart, chapters two and more. */
const defaultMinPause = 2;
/** Seconds. */
const defaultMinChapter = 60;

/** Possible start of a chapter: in a pause, just before the sound resumes. */
interface Boundary {
  sourceSeconds: number;
  /** In output time. */
  seconds: number;
  pauseSeconds: number;
}

/**
 * Chapters of an output, in source time. They start in the longest pauses that leave no chapter too short. Empty if
 * there is no such pause.
 */
export function chaptersFromSilence(
  { minPause = defaultMinPause, minChapter = defaultMinChapter, threshold, title = '' }: ChapterPauses,
  source: Pick<AudioSource, 'countedSamples' | 'quiet' | 'sampleRate'>,
  cut: CutPlan | undefined,
): PlacedChapter[] {
  const { countedSamples = 0, quiet, sampleRate } = source;
  if (quiet === undefined) return [];
  const { from, to } = cut ?? { from: 0, to: countedSamples };
  const boundaries = findSilences(quiet, to, threshold).flatMap((pause): Boundary[] => {
    const pauseSeconds = (pause.to - pause.from) / sampleRate;
    // Silence that reaches an end of the output separates nothing.
    if (pauseSeconds < minPause || pause.from <= from || pause.to >= to) return [];
    const sourceSeconds = pause.to / sampleRate - marginSeconds;
    const seconds = cut === undefined ? sourceSeconds : placeAfterCut(cut, sourceSeconds);
    return seconds === undefined ? [] : [{ sourceSeconds, seconds, pauseSeconds }];
  });
  const outputSeconds = (cut === undefined ? countedSamples : cutSamples(cut)) / sampleRate;
  const chosen = chooseBoundaries(boundaries, outputSeconds, minChapter);
  const name = cleanLine(title) || 'Chapter';
  return chosen.length === 0
    ? []
    : [0, ...chosen].map((startSeconds, index) => ({ startSeconds, title: `${name} ${index + 1}` }));
}

/**
 * Positions in the source, in order, of the longest pauses. None is nearer than `minChapter` to another one or to an
 * end.
 */
function chooseBoundaries(boundaries: readonly Boundary[], outputSeconds: number, minChapter: number): number[] {
  // Each stretch of `minChapter` holds at most one boundary, so only neighbours need to be compared.
  const chosen = new Map<number, Boundary>();
  for (const boundary of boundaries.toSorted((one, other) => other.pauseSeconds - one.pauseSeconds)) {
    const { seconds } = boundary;
    const slot = Math.floor(seconds / minChapter);
    const neighbours = [slot - 1, slot, slot + 1].flatMap((near) => chosen.get(near)?.seconds ?? []);
    const isNear = [0, outputSeconds, ...neighbours].some((place) => Math.abs(place - seconds) < minChapter);
    if (isNear || chosen.size >= maxChapters - 1) continue;
    chosen.set(slot, boundary);
  }
  return [...chosen.values()].map(({ sourceSeconds }) => sourceSeconds).toSorted((one, other) => one - other);
}
