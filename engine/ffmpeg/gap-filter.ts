/** Facts that determine when a source's audio is heard. */
export interface SourceTime {
  /** ffprobe's name of the container format. */
  formatName: string;
  /** Silence before the audio because other streams of the file start earlier. */
  leadSeconds: number;
  /** Hz. If given, the silence is a whole number of these samples, whatever rate follows. */
  sampleRate?: number;
  /** Some samples are no numbers, and become silence. */
  hasWildSamples?: true;
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

/** Share of full scale that no sample of sound reaches: 120 dB above it. */
const wildSampleLimit = 1e6;

/** The comparison is also false for NaN. */
const wildSampleFilter = `aeval='if(lt(abs(val(ch)),${wildSampleLimit}),val(ch),0)':c=same`;

/** Applies `timeStampFilter` if the source has timestamps; otherwise the samples pass one after the other. */
export function gapFilter({ formatName, leadSeconds, sampleRate, hasWildSamples }: SourceTime): string {
  const filter = untimedFormats.has(formatName) ? 'asetpts=NAN' : timeStampFilter(leadSeconds, sampleRate);
  return hasWildSamples === true ? `${wildSampleFilter},${filter}` : filter;
}
