/** ffmpeg's name for the bytes `from` to before `to` (0: the end) of a file of ours. */
export function subfileUrl(path: string, from: number, to: number): string {
  return `subfile,,start,${from},end,${to},,:${path}`;
}
