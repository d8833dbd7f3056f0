/** A path as a value in a graph of filters: ffmpeg reads it twice, first as a part of the graph, then as one of the filter's options. */
function escapePath(path: string): string {
  return path.replaceAll(/[\\':]/g, '\\$&').replaceAll(/[\\'[\],;]/g, '\\$&');
}

/** Draws a script in the fonts of `fonts.conf`. Its file is always one of ours. */
export function drawFilter(path: string): string {
  return `ass=filename=${escapePath(path)}`;
}
