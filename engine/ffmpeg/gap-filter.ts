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
 * Formats whose sound has no timestamps. ffmpeg derives them from the rate of the first frame, or in AVI from a count of
 * packets or bytes. For concatenated files of several rates, and for packets of several lengths, these timestamps would
 * show false gaps or make ffmpeg drop sound.
 */
const untimedFormats = new Set(['aac', 'ac3', 'avi', 'dts', 'eac3', 'loas', 'mlp', 'mp3', 'truehd']);

/**
 * Seconds by which a timestamp may differ from the count of samples. Containers that count milliseconds (Matroska, FLV,
 * ASF) err by up to one.
 */
const toleranceSeconds = 0.0012;

/** The same of formats in which ffmpeg's timestamps are less exact. */
const toleranceSecondsByFormat: Readonly<Record<string, number>> = {
  // The PCM of a DVD is stamped up to one packet, 10.5 ms, late. Other packets last 24 ms.
  mpeg: 0.012,
  // Compressed sound is stamped by its bytes. WAV has no gaps.
  wav: 1e6,
};

/**
 * Expression of `asetpts` that replaces the timestamps by a count of samples wherever both agree. A timestamp that
 * differs from the count is a jump: a gap, or an overlap if it is too early. The count continues from there.
 *
 * Some recorders stamp healthy sound with the time at which it arrived, so that its timestamps jump back and forth.
 * Jumps back and forth therefore raise the tolerance, up to half a frame. A lost packet is longer.
 *
 * ffmpeg's Ogg demuxer misjudges the first packet of a page if its length differs from the one before, and copies and
 * encodes keep this. A jump at such a frame, or one below half a frame, must be confirmed by the next frame. So must every
 * jump where single timestamps are wrong. A gap that is confirmed is filled one frame late.
 */
function steadyTime(formatName = ''): string {
  const tolerance = toleranceSecondsByFormat[formatName] ?? toleranceSeconds;
  const isConfirmed = formatName === 'mpeg' ? 'ld(7)' : 'max(ld(7),eq(NB_SAMPLES,ld(9))*gt(abs(ld(0)),NB_SAMPLES/2))';
  const jitter = 'if(lt(ld(0)*ld(5),0),max(ld(3),1.5*min(abs(ld(0)),abs(ld(5)))),ld(3))';
  const steps = [
    // 0: difference from the count (1). 2: tolerance. 3: tolerance of a recorder that jumps back and forth.
    'st(0,if(N,PTS-ld(1),0))',
    `st(2,max(${tolerance}*SR,min(ld(3),NB_SAMPLES/2)))`,
    // 4: the timestamp jumps. 7: the one before did. 8: the jump counts. 5: the last jump that did. 9: frame length.
    'st(7,ld(4))',
    'st(4,gt(abs(ld(0)),ld(2)))',
    `st(8,ld(4)*${isConfirmed})`,
    `if(ld(8),st(3,${jitter});st(5,ld(0));st(4,0))`,
    'st(6,if(N,if(ld(8),PTS,ld(1)),PTS))',
    'st(1,ld(6)+NB_SAMPLES)',
    'st(9,NB_SAMPLES)',
    'ld(6)',
  ];
  return steps.join(';');
}

/** Seconds. Less than the smallest jump of `steadyTime`, and more than the rounding errors of a resampler. */
const leastJumpSeconds = 0.0005;

/**
 * Fills gaps in the timestamps (lost packets, pauses of recorded calls) with silence, drops what overlaps, and inserts
 * `leadSeconds` of silence before the first sample. Otherwise, the samples pass unchanged.
 *
 * The lead cannot come from timestamps: ffmpeg counts from the first stream whose start it knows. For a file whose
 * video is not decoded, that may be the audio itself.
 */
export function timeStampFilter({ formatName, ...time }: Partial<SourceTime> = {}): string {
  const least = `min_comp=${leastJumpSeconds}:min_hard_comp=${leastJumpSeconds}`;
  return `asetpts='${steadyTime(formatName)}',aresample=async=1:${least}${leadFilter(time)}`;
}

function leadFilter({ leadSeconds = 0, sampleRate }: Partial<SourceTime>): string {
  // Without a rate, ffmpeg may resample in this filter. Overlaps would then be dropped at another rate.
  const atRate = sampleRate === undefined ? '' : `,aformat=sample_rates=${sampleRate}`;
  return leadSeconds === 0 ? atRate : `${atRate},adelay=delays=${(leadSeconds * 1000).toFixed(3)}:all=1`;
}

/** Share of full scale that no sample of sound reaches: 120 dB above it. */
const wildSampleLimit = 1e6;

/** The comparison is also false for NaN. */
const wildSampleFilter = `aeval='if(lt(abs(val(ch)),${wildSampleLimit}),val(ch),0)':c=same`;

/** Applies `timeStampFilter` if the source has timestamps; otherwise the samples pass one after the other. */
export function gapFilter(time: SourceTime): string {
  const filter = untimedFormats.has(time.formatName) ? untimedFilter(time) : timeStampFilter(time);
  return time.hasWildSamples === true ? `${wildSampleFilter},${filter}` : filter;
}

/** The rate of joined files may change here, unless there is a lead. */
function untimedFilter(time: SourceTime): string {
  return time.leadSeconds === 0 ? 'asetpts=NAN' : `asetpts=NAN${leadFilter(time)}`;
}
