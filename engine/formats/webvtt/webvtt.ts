import { MalformedFile } from '../malformed-file.ts';

/** A cue of WebVTT (https://www.w3.org/TR/webvtt1/). */
export interface Cue {
  startMs: number;
  endMs: number;
  text: string;
}

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** Hours have two digits or more. */
function formatTime(ms: number): string {
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(Math.floor);
  return `${padded(hours ?? 0, 2)}:${padded(minutes ?? 0, 2)}:${padded(seconds ?? 0, 2)}.${padded(ms % 1000, 3)}`;
}

export function formatVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ startMs, endMs, text }) => `${formatTime(startMs)} --> ${formatTime(endMs)}\n${text}\n`);
  return ['WEBVTT\n', ...blocks].join('\n');
}

const timeLine = /^(\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3}) --> (\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3})$/;

function readTime([hours, minutes, seconds, ms]: readonly string[]): number {
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms);
}

/** Reads what `formatVtt` writes. */
export function parseVtt(text: string): Cue[] {
  const [head, ...blocks] = text.split('\n\n');
  if (head !== 'WEBVTT') throw new MalformedFile('no WebVTT');
  return blocks.map((block) => {
    const [times = '', ...lines] = block.replace(/\n$/, '').split('\n');
    const parts = timeLine.exec(times)?.slice(1);
    if (parts === undefined || lines.length === 0) throw new MalformedFile('a WebVTT with a cue without times');
    return { startMs: readTime(parts.slice(0, 4)), endMs: readTime(parts.slice(4)), text: lines.join('\n') };
  });
}
