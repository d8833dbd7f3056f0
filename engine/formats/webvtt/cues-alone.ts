/** Hours and spaces are optional. Cue settings may follow. */
const timeLine = /^((?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3})[ \t]*-->[ \t]*((?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3})(?=[ \t]|$)/;

/**
 * Reduces a WebVTT file to its cues. Styles, regions, comments and cues with invalid times are dropped, as readers do
 * (https://www.w3.org/TR/webvtt1/#file-parsing). ffmpeg 5.1 stops reading at the first of them.
 */
export function cuesAlone(text: string): string {
  const cues = text.split(/\n{2,}/).flatMap((block) => {
    const lines = block.split('\n');
    // An identifier may precede the times.
    const at = lines.slice(0, 2).findIndex((line) => line.includes('-->'));
    const times = timeLine.exec(lines[at] ?? '');
    return times === null ? [] : [[`${times[1]} --> ${times[2]}`, ...lines.slice(at + 1)].join('\n')];
  });
  return `${['WEBVTT', ...cues].join('\n\n')}\n`;
}
