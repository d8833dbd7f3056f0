import type { Cue } from '../webvtt/webvtt.ts';

/** Subtitles with styles and places: Advanced SubStation Alpha. */
export interface AssScript {
  /** Sections with the picture size that positions refer to, and with the styles. */
  head: string;
  events: AssEvent[];
}

/** `text` is the rest of the event's line, starting with its style. */
export interface AssEvent extends Cue {
  layer: number;
}

/** Only these sections determine what is drawn. Others hold fonts, pictures or an editor's own state. */
const drawnSections = /^\[(?:script info|v4\+? styles)\]$/i;

const eventLine = /^Dialogue: *(\d+),(\d+):(\d{2}):(\d{2})\.(\d{2}),(\d+):(\d{2}):(\d{2})\.(\d{2}),(.*)$/;

function milliseconds([hours, minutes, seconds, hundredths]: readonly string[]): number {
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(hundredths) * 10;
}

/** Reads a script in the form that ffmpeg writes. */
export function parseAss(text: string): AssScript {
  const head: string[] = [];
  const events: AssEvent[] = [];
  let section = '';
  for (const line of text.replaceAll('\r', '').split('\n')) {
    if (line.startsWith('[')) section = line.trim();
    if (drawnSections.test(section)) {
      if (line.trim() !== '' && !line.startsWith(';')) head.push(line);
      continue;
    }
    const parts = /^\[events\]$/i.test(section) ? eventLine.exec(line) : null;
    if (parts === null) continue;
    const [, layer, ...rest] = parts;
    events.push({
      layer: Number(layer),
      startMs: milliseconds(rest.slice(0, 4)),
      endMs: milliseconds(rest.slice(4, 8)),
      text: rest[8] ?? '',
    });
  }
  return { head: head.join('\n'), events: events.filter(({ startMs, endMs }) => endMs > startMs) };
}

const padded = (value: number): string => String(value).padStart(2, '0');

/** Formats a time in hundredths of a second. */
function formatTime(ms: number): string {
  const hundredths = Math.round(ms / 10);
  const [minutes, seconds] = [Math.floor(hundredths / 6000), Math.floor(hundredths / 100) % 60];
  return `${Math.floor(minutes / 60)}:${padded(minutes % 60)}:${padded(seconds)}.${padded(hundredths % 100)}`;
}

export function formatAss({ head, events }: AssScript): string {
  const lines = events.map(
    ({ layer, startMs, endMs, text }) => `Dialogue: ${layer},${formatTime(startMs)},${formatTime(endMs)},${text}`,
  );
  const format = 'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text';
  return `${head}\n\n[Events]\n${format}\n${lines.join('\n')}\n`;
}
