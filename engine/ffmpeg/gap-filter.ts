/** Facts that determine when a source's audio is heard. */
export interface SourceTime {
  /** ffprobe's name of the container format. */
  formatName: string;
  /** Silence before the audio because other streams of the file start earlier. */
  leadSeconds: number;
  /** Hz. If given, the silence is a whole number of these samples, whatever rate follows. */
  sampleRate?: number;
}

/**
 * Formats that consist of frames only. ffmpeg derives their timestamps from the rate of the first frame. In
 * concatenated files of several rates, these timestamps would show false gaps or make ffmpeg drop sound.
 */
const untimedFormats = new Set(['aac', 'ac3', 'dts', 'eac3', 'loas', 'mlp', 'mp3', 'truehd']);

/**
 * Fills gaps in the timestamps (as in recorded calls) with silence, and inserts `leadSeconds` of silence before the
 * first sample. Without gaps, the samples pass unchanged.
 *
 * The lead cannot come from timestamps: ffmpeg counts from the first stream whose start it knows. For a file whose
 * video is not decoded, that may be the audio itself.
 */
export function timeStampFilter(leadSeconds: number, sampleRate?: number): string {
  const atRate = sampleRate === undefined ? '' : `,aformat=sample_rates=${sampleRate}`;
  const lead = leadSeconds === 0 ? '' : `${atRate},adelay=delays=${(leadSeconds * 1000).toFixed(3)}:all=1`;
  return `aresample=async=1${lead}`;
}

/** Applies `timeStampFilter` if the source has timestamps; otherwise the samples pass one after the other. */
export function gapFilter({ formatName, leadSeconds, sampleRate }: SourceTime): string {
  return untimedFormats.has(formatName) ? 'asetpts=NAN' : timeStampFilter(leadSeconds, sampleRate);
}
