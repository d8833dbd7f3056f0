/** ffmpeg's URL for bytes `from` to `to` (exclusive; 0 for the end) of a local file. */
export function subfileUrl(path: string, from: number, to: number): string {
  return `subfile,,start,${from},end,${to},,:${path}`;
}
