import type { Cue } from '../formats/webvtt/webvtt.ts';
import type { CueWindow } from '../plan/subtitle-plan.ts';

/** Moves cues from the source's clock to an output's, in order, and cuts the parts outside the output. */
export function placeCues<Placed extends Cue>(cues: readonly Placed[], { start, seconds }: CueWindow): Placed[] {
  const endMs = Math.round(seconds * 1000);
  const moved = (ms: number): number => Math.min(endMs, Math.max(0, Math.round(ms - start * 1000)));
  return cues
    .map((cue) => ({ ...cue, startMs: moved(cue.startMs), endMs: moved(cue.endMs) }))
    .filter((cue) => cue.endMs > cue.startMs)
    .toSorted((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);
}

/** Milliseconds in hundredths of a second, as ASS has them. A rounded time would be later than its picture. */
export const hundredthsOf = (ms: number): number => 10 * Math.floor(ms / 10);

/** A hostile file has thousands. */
const mostAtATime = 8;

/**
 * Merges overlapping cues, for formats that show one cue at a time: an overlap becomes a cue with all lines. `cues` are
 * ordered.
 */
export function flattenCues(cues: readonly Cue[]): Cue[] {
  const times = [...new Set(cues.flatMap(({ startMs, endMs }) => [startMs, endMs]))].toSorted((a, b) => a - b);
  const flat: Cue[] = [];
  let shown: Cue[] = [];
  let next = 0;
  for (const [index, startMs] of times.entries()) {
    shown = shown.filter((cue) => cue.endMs > startMs);
    // Cues for which there is no room wait: a list of all of them would be filtered at each time.
    for (let cue = cues[next]; shown.length < mostAtATime && cue !== undefined; cue = cues[next]) {
      if (cue.startMs > startMs) break;
      if (cue.endMs > startMs) shown.push(cue);
      next += 1;
    }
    const endMs = times[index + 1];
    if (endMs === undefined || shown.length === 0) continue;
    flat.push({ startMs, endMs, text: shown.map(({ text }) => text).join('\n') });
  }
  return flat;
}
