import type { SubtitleCodec } from '../../contract/formats.ts';
import type { AssScript } from '../formats/ass/ass.ts';
import { flattenCues, hundredthsOf, placeCues } from './place-cues.ts';
import { maxMergedBytes } from './read-texts.ts';
import type { SubtitleText } from '../source/subtitle-track.ts';
import { placePictures } from './subtitle-pictures.ts';
import type { CueWindow, SubtitleContent, TextContent } from '../plan/subtitle-plan.ts';

/** Number of cues; undefined for pictures, which have no count. */
export function countCues(content: SubtitleContent): number | undefined {
  if (content.kind === 'pictures') return undefined;
  return content.kind === 'cues' ? content.cues.length : content.script.events.length;
}

export function isEmpty(content: SubtitleContent): boolean {
  return content.kind === 'pictures' ? placePictures(content) === undefined : countCues(content) === 0;
}

/** The part of some content that is visible in a window. */
export function placeContent(content: SubtitleContent, window: CueWindow): SubtitleContent {
  if (content.kind === 'pictures') {
    return { ...content, window: { ...window, start: content.window.start + window.start } };
  }
  if (content.kind === 'cues') return { kind: 'cues', cues: placeCues(content.cues, window) };
  return placeScript(content.script, window);
}

function placeScript(script: AssScript, window: CueWindow): TextContent {
  const events = placeCues(script.events, window)
    .map((event) => ({ ...event, startMs: hundredthsOf(event.startMs), endMs: hundredthsOf(event.endMs) }))
    .filter(({ startMs, endMs }) => endMs > startMs);
  return { kind: 'script', script: { ...script, events } };
}

/** Visible part of a text, in the form that suits the codec best. */
export function contentFor(codec: SubtitleCodec, { cues, script }: SubtitleText, window: CueWindow): TextContent {
  if (codec === 'ass' && script !== undefined) return placeScript(script, window);
  const placed = placeCues(cues, window);
  return { kind: 'cues', cues: codec === 'mov_text' ? flattenCues(placed) : placed };
}

/** True if merging the overlaps of a text that a source may have has made it too long. */
export function isMergedTooLong(content: TextContent): boolean {
  if (content.kind === 'script') return false;
  return content.cues.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) > maxMergedBytes;
}
