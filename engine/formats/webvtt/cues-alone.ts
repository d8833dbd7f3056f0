/** Hours may be missing, and spaces; what follows are places on the picture. */
const timeLine = /^((?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3})[ \t]*-->[ \t]*((?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3})(?=[ \t]|$)/;

/**
 * A file of WebVTT with its cues alone (pure): without styles, regions, comments, and cues whose times are none, which readers leave out
 * (https://www.w3.org/TR/webvtt1/#file-parsing). ffmpeg 5.1 reads no further at the first of them.
 */
export function cuesAlone(text: string): string {
  const cues = text.split(/\n{2,}/).flatMap((block) => {
    const lines = block.split('\n');
    // Before it may be a name.
    const at = lines.slice(0, 2).findIndex((line) => line.includes('-->'));
    const times = timeLine.exec(lines[at] ?? '');
    return times === null ? [] : [[`${times[1]} --> ${times[2]}`, ...lines.slice(at + 1)].join('\n')];
  });
  return `${['WEBVTT', ...cues].join('\n\n')}\n`;
}
