import { formatCueTime } from '../cue-time.ts';
import type { Cue } from './cues.ts';

/** WebVTT. `&` and `<` start markup, and `-->` would end a cue early. */
export function toVtt(cues: readonly Cue[]): string {
  const escapeMarkup = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const blocks = cues.map(({ start, end, lines, speaker }, index) => {
    const voice = speaker === undefined ? '' : `<v ${escapeMarkup(speaker)}>`;
    return `${index + 1}\n${formatTime(start, '.')} --> ${formatTime(end, '.')}\n${voice}${lines.map(escapeMarkup).join('\n')}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/**
 * SubRip has no escapes, so an arrow that players could take for a cue time is replaced. It has no speakers either, so
 * that the text names a new one.
 */
export function toSrt(cues: readonly Cue[]): string {
  return cues
    .map(({ start, end, lines, speaker }, index) => {
      const prefix = speaker === undefined || speaker === cues[index - 1]?.speaker ? '' : `${speaker}: `;
      const text = `${prefix}${lines.join('\n')}`.replace(/-->/g, '→');
      return `${index + 1}\n${formatTime(start, ',')} --> ${formatTime(end, ',')}\n${text}\n`;
    })
    .join('\n');
}

/** Formats a time in seconds as `01:02:03.456`. */
export function formatTime(seconds: number, point: '.' | ','): string {
  return formatCueTime(Math.max(0, Math.round(seconds * 1000)), point);
}
