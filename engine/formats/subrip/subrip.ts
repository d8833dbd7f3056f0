import { formatCueTime, readCueTime } from '../../../contract/cue-time.ts';
import type { Cue } from '../webvtt/webvtt.ts';

const timeLine = /^(\d{2,}):([0-5]\d):([0-5]\d),(\d{3}) --> (\d{2,}):([0-5]\d):([0-5]\d),(\d{3})$/;

/** Control characters except line breaks and tabs. ffmpeg leaves some at line ends. */
const controlCharacters = /[^\P{Cc}\n\t]/gu;

/**
 * Reads SubRip as ffmpeg writes it. A cue must start with its number, so that lines of text are not mistaken for the
 * next cue.
 */
export function parseSubRip(text: string): Cue[] {
  const lines = text.replaceAll(controlCharacters, '').split('\n');
  const cues: Cue[] = [];
  let words: string[] = [];
  let next = 1;
  const end = (): void => {
    const cue = cues.at(-1);
    if (cue !== undefined) cue.text = words.filter((line) => line.trim() !== '').join('\n');
    words = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const times = line === String(next) ? timeLine.exec(lines[at + 1] ?? '') : null;
    if (times === null) {
      words.push(line);
      continue;
    }
    end();
    const parts = times.slice(1);
    cues.push({ startMs: readCueTime(parts.slice(0, 4)), endMs: readCueTime(parts.slice(4)), text: '' });
    next += 1;
    at += 1;
  }
  end();
  return cues;
}

export function formatSubRip(cues: readonly Cue[]): string {
  return cues
    .map(
      ({ startMs, endMs, text }, index) =>
        `${index + 1}\n${formatCueTime(startMs, ',')} --> ${formatCueTime(endMs, ',')}\n${text}\n`,
    )
    .join('\n');
}
