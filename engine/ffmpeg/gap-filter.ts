/** Facts that determine when a source's audio is heard. */
export interface SourceTime {
  /** ffprobe's name of the container format. */
  formatName: string;
  /** ffprobe's name. */
  codec?: string;
  /** Silence before the audio because other streams of the file start earlier. */
  leadSeconds: number;
  /** Hz. If given, the silence is a whole number of these samples, whatever rate follows. */
  sampleRate?: number;
  /** Some samples are no numbers, and become silence. */
  hasWildSamples?: true;
  /** The two channels have no named layout, and become left and right. */
  isUnnamedPair?: true;
  /** Factor by which the timestamps must be multiplied. */
  stampScale?: number;
  /** The sound seems to begin at 0, whenever it begins. */
  hidesStart?: true;
}

/**
 * Formats whose sound has no timestamps. ffmpeg derives them from the rate of the first frame, or in AVI from a count of
 * packets or bytes. For concatenated files of several rates, and for packets of several lengths, these timestamps would
 * show false gaps or make ffmpeg drop sound.
 */
const untimedFormats = new Set(['aac', 'ac3', 'avi', 'caf', 'dts', 'eac3', 'loas', 'mlp', 'mp3', 'truehd']);

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
 * Most samples that mkvmerge adds before Vorbis: a quarter of its first block, which has 256 samples, or 512 below
 * 32 kHz. ffmpeg stamps the first packets of such a file later by as many again.
 */
const vorbisLeadSamples = 128;

/** Expression of the samples by which a timestamp may differ. */
function toleranceOf({ formatName = '', codec }: Partial<SourceTime>): string {
  const samples = `${toleranceSecondsByFormat[formatName] ?? toleranceSeconds}*SR`;
  return codec === 'vorbis' && formatName.startsWith('matroska') ? `(${samples}+${vorbisLeadSamples})` : samples;
}

/** Largest swing of jittering timestamps, in seconds. */
const mostJitterSeconds = 0.1;

/** Deviations of this many times the jitter are a gap or an overlap, and no jitter. */
const clearOfJitter = 3;

/** Frames that must deviate to the same side if timestamps jitter. */
const jitteringFrames = 16;

/**
 * Expression of `asetpts` that replaces the timestamps by a count of samples wherever both agree. A timestamp that
 * differs from the count is a jump: a gap, or an overlap if it is too early. The count continues from there.
 *
 * Some recorders stamp healthy sound with the time at which it arrived, so that its timestamps jitter, by more than a
 * frame over a network. Steps back and forth show the jitter, which raises the tolerance for some seconds. Meanwhile a
 * jump counts if several frames in a row agree, by their smallest deviation, or if it is clear of the jitter.
 *
 * ffmpeg's Ogg demuxer misjudges the first packet of a page if its length differs from the one before, and copies and
 * encodes keep this. A jump at such a frame, or one below half a frame, counts only if the next frame shows it too. The
 * same holds for every jump in formats in which single timestamps are wrong. A gap that is confirmed is filled one frame
 * late. A timestamp that undoes the jump of the frame before it was right.
 */
function steadyTime(time: Partial<SourceTime>): string {
  const { formatName } = time;
  const tolerance = toleranceOf(time);
  const isSure = formatName === 'mpeg' ? '0' : 'eq(NB_SAMPLES,ld(1))*gt(abs(ld(0)),NB_SAMPLES/2)';
  const swing = `min(min(abs(ld(2)),abs(ld(5))),${mostJitterSeconds}*SR)`;
  const steps = [
    // 0: difference from the count. 1: length of the frame before. 2: step from it.
    'st(0,if(N,PTS-PREV_OUTPTS-ld(1),0))',
    'st(2,if(N,PTS-PREV_INPTS-ld(1),0))',
    // 3: jitter, shown by two swings (7, and 8 before) within about a second. 5: steps to one side.
    `st(7,if(gt(abs(ld(2)),${tolerance})*lt(ld(2)*ld(5),0),${swing},0))`,
    'st(3,max(0.99*ld(3),min(ld(7),ld(8))))',
    'st(8,max(0.97*ld(8),ld(7)))',
    `if(gt(abs(ld(2)),${tolerance}),st(5,ld(2)+if(gt(ld(2)*ld(5),0),ld(5),0)))`,
    // 4: frames in a row that deviate to one side, with its sign. 6: their smallest deviation.
    `st(7,gt(abs(ld(0)),max(${tolerance},ld(3))))`,
    'st(4,if(ld(7),sgn(ld(0))+if(gt(ld(4)*ld(0),0),ld(4),0),0))',
    'st(6,if(gt(abs(ld(4)),1)*lt(abs(ld(6)),abs(ld(0))),ld(6),ld(0)))',
    // 2: frames that must deviate. 7: the jump counts. 9: jump of the frame before, if no other confirmed it.
    `st(2,if(gt(ld(3),max(${tolerance},abs(ld(0))/${clearOfJitter})),${jitteringFrames},2-${isSure}))`,
    `st(7,ld(7)*max(gte(abs(ld(4)),ld(2)),ld(9)*lt(abs(ld(0)+ld(9)),${tolerance})))`,
    'st(9,if(ld(7)*eq(ld(2),1),ld(6),0))',
    'if(ld(7),st(4,0))',
    'st(2,if(N,PREV_OUTPTS+ld(1)+if(ld(7),ld(6),0),PTS))',
    'st(1,NB_SAMPLES)',
    'ld(2)',
  ];
  return steps.join(';');
}

/** Seconds. Longer than the first page of sound of an Ogg file, as programs write it. */
const firstPageSeconds = 2;

/**
 * ffmpeg lets FLAC in Ogg begin at 0, whenever it begins: its second page shows a gap or an overlap if the file was cut
 * or begins late. The samples of the first page follow one another, and later timestamps are moved.
 */
function movedStart({ hidesStart }: Partial<SourceTime>): string {
  if (hidesStart !== true) return '';
  const offset = `if(N,if(lt(N,${firstPageSeconds}*SR),PTS-PREV_OUTPTS-ld(1),ld(0)),0)`;
  return `asetpts='st(0,${offset});st(1,NB_SAMPLES);PTS-ld(0)',`;
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
export function timeStampFilter(time: Partial<SourceTime> = {}): string {
  const { stampScale } = time;
  const scale = stampScale === undefined ? '' : `asetpts=PTS*${stampScale},`;
  const least = `min_comp=${leastJumpSeconds}:min_hard_comp=${leastJumpSeconds}`;
  return `${scale}${movedStart(time)}asetpts='${steadyTime(time)}',aresample=async=1:${least}${leadFilter(time)}`;
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

const pairFilter = 'channelmap=map=0|1:channel_layout=stereo';

/** Applies `timeStampFilter` if the source has timestamps; otherwise the samples pass one after the other. */
export function gapFilter(time: SourceTime): string {
  const filter = untimedFormats.has(time.formatName) ? untimedFilter(time) : timeStampFilter(time);
  const filters = [time.isUnnamedPair && pairFilter, time.hasWildSamples && wildSampleFilter, filter];
  return filters.filter((part) => part !== undefined).join(',');
}

/** The rate of joined files may change here, unless there is a lead. */
function untimedFilter(time: SourceTime): string {
  return time.leadSeconds === 0 ? 'asetpts=NAN' : `asetpts=NAN${leadFilter(time)}`;
}
