/** Escapes a path for a filter graph. ffmpeg parses it twice: as part of the graph, then as an option of the filter. */
export function escapePath(path: string): string {
  return path.replaceAll(/[\\':]/g, '\\$&').replaceAll(/[\\'[\],;]/g, '\\$&');
}

/** Draws a script with the fonts of `fonts.conf`. Holdfast always writes the script's file itself. */
export function drawFilter(path: string): string {
  return `ass=filename=${escapePath(path)}`;
}
