import type { Cue } from './cues.ts';

/** WebVTT. `&` and `<` start markup, and `-->` would end a cue early. */
export function toVtt(cues: readonly Cue[]): string {
  const escapeMarkup = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const blocks = cues.map(
    ({ start, end, lines }, index) =>
      `${index + 1}\n${formatTime(start, '.')} --> ${formatTime(end, '.')}\n${lines.map(escapeMarkup).join('\n')}\n`,
  );
  return ['WEBVTT\n', ...blocks].join('\n');
}

/** SubRip has no escapes, so an arrow that players could take for a cue time is replaced. */
export function toSrt(cues: readonly Cue[]): string {
  return cues
    .map(({ start, end, lines }, index) => {
      const text = lines.join('\n').replace(/-->/g, '→');
      return `${index + 1}\n${formatTime(start, ',')} --> ${formatTime(end, ',')}\n${text}\n`;
    })
    .join('\n');
}

/** 01:02:03.456 */
export function formatTime(seconds: number, point: '.' | ','): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${point}${String(ms % 1000).padStart(3, '0')}`;
}
