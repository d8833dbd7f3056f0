import { formatCueTime, readCueTime } from '../../../contract/cue-time.ts';
import { MalformedFile } from '../malformed-file.ts';

/** A cue of WebVTT (https://www.w3.org/TR/webvtt1/). */
export interface Cue {
  startMs: number;
  endMs: number;
  text: string;
}

export function formatVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(
    ({ startMs, endMs, text }) => `${formatCueTime(startMs, '.')} --> ${formatCueTime(endMs, '.')}\n${text}\n`,
  );
  return ['WEBVTT\n', ...blocks].join('\n');
}

const timeLine = /^(\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3}) --> (\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3})$/;

/** Reads what `formatVtt` writes. */
export function parseVtt(text: string): Cue[] {
  const [head, ...blocks] = text.split('\n\n');
  if (head !== 'WEBVTT') throw new MalformedFile('no WebVTT');
  return blocks.map((block) => {
    const [times = '', ...lines] = block.replace(/\n$/, '').split('\n');
    const parts = timeLine.exec(times)?.slice(1);
    if (parts === undefined || lines.length === 0) throw new MalformedFile('a WebVTT with a cue without times');
    return { startMs: readCueTime(parts.slice(0, 4)), endMs: readCueTime(parts.slice(4)), text: lines.join('\n') };
  });
}
