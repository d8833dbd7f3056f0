/**
 * Fills gaps in the time stamps (recordings of calls) with silence, and puts `leadSeconds` of it before the first sample. Where
 * there are none the samples pass unchanged. The lead does not come from time stamps: ffmpeg begins to count at the first stream
 * that it knows the start of, which for a video it decodes nothing of may be the audio itself.
 */
export function gapFilter(leadSeconds: number): string {
  const lead = leadSeconds === 0 ? '' : `,adelay=delays=${(leadSeconds * 1000).toFixed(3)}:all=1`;
  return `aresample=async=1${lead}`;
}
