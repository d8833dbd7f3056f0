import type { TranscriptSegment } from './transcript.ts';

type Cue = Pick<TranscriptSegment, 'start' | 'end' | 'text'>;

/** WebVTT. `&` and `<` start markup, and `-->` would end a cue early. */
export function toVtt(segments: readonly Cue[]): string {
  const escapeMarkup = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const cues = segments.map(
    (cue, index) =>
      `${index + 1}\n${formatTime(cue.start, '.')} --> ${formatTime(endTime(cue), '.')}\n${escapeMarkup(joinLines(cue.text))}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

/** SubRip has no escapes, so an arrow that players could take for a cue time is replaced. */
export function toSrt(segments: readonly Cue[]): string {
  return segments
    .map((cue, index) => {
      const text = joinLines(cue.text).replace(/-->/g, '→');
      return `${index + 1}\n${formatTime(cue.start, ',')} --> ${formatTime(endTime(cue), ',')}\n${text}\n`;
    })
    .join('\n');
}

/** A cue must end after its start, or players drop it or reject the file. */
function endTime({ start, end }: Cue): number {
  return Math.max(end, start + 0.001);
}

/** An empty line would end the cue. */
function joinLines(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}

/** 01:02:03.456 */
function formatTime(seconds: number, point: '.' | ','): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${point}${String(ms % 1000).padStart(3, '0')}`;
}
