/** What decides where the sound of a source is heard. */
export interface SourceTime {
  /** ffprobe's name of the container format */
  formatName: string;
  /** of silence before the sound: other streams of the file begin earlier */
  leadSeconds: number;
  /** Hz; where it is given, that silence has a whole number of these samples, whatever rate comes after */
  sampleRate?: number;
}

/**
 * Formats of frames and nothing else. Their time stamps are ffmpeg's own, from the rate of the first frame: in files of several
 * rates that were joined to one, gaps of theirs would be filled that are none, or sound be dropped.
 */
const untimedFormats = new Set(['aac', 'ac3', 'dts', 'eac3', 'loas', 'mlp', 'mp3', 'truehd']);

/**
 * Fills gaps in the time stamps (recordings of calls) with silence, and puts `leadSeconds` of it before the first sample. Where
 * there are none the samples pass unchanged. The lead does not come from time stamps: ffmpeg begins to count at the first stream
 * that it knows the start of, which for a video it decodes nothing of may be the audio itself.
 */
export function timeStampFilter(leadSeconds: number, sampleRate?: number): string {
  const atRate = sampleRate === undefined ? '' : `,aformat=sample_rates=${sampleRate}`;
  const lead = leadSeconds === 0 ? '' : `${atRate},adelay=delays=${(leadSeconds * 1000).toFixed(3)}:all=1`;
  return `aresample=async=1${lead}`;
}

/** The same where a source has time stamps; else the samples pass one after the other. */
export function gapFilter({ formatName, leadSeconds, sampleRate }: SourceTime): string {
  return untimedFormats.has(formatName) ? 'asetpts=NAN' : timeStampFilter(leadSeconds, sampleRate);
}
