/** Facts that decide how a position in a source is reached. Names are ffprobe's. */
export interface SeekableSource {
  formatName: string;
  codec: string;
  /** Undefined if the file declares no reliable length. */
  declaredSeconds: number | undefined;
  /** The samples were decoded to one of our own files, whatever the source's codec was. */
  isDecoded?: true;
  /** The header states another size of a second than its samples have. ffmpeg seeks by that size. */
  misstatesBitrate?: true;
}

/** Containers that hold a single block of samples. */
const sampleBlockFormats = new Set(['wav', 'w64', 'aiff', 'au', 'caf']);

/**
 * True if ffmpeg reaches any sample exactly by seeking: samples of one size in sequence, and FLAC, whose frames carry
 * sample numbers (RFC 9639, 9.1.5). A FLAC file must declare its length, because nothing else reveals samples that are
 * missing in its middle.
 *
 * All other sources are decoded from their start. ffmpeg seeks ADPCM and WMA by average byte rate and AVI by whole
 * packets. In Matroska and MPEG, some decoders drop their first output after a seek. The error ranges from 20 ms to
 * minutes.
 */
export function isExactToSeek(source: SeekableSource): boolean {
  const { formatName, codec, declaredSeconds, isDecoded, misstatesBitrate } = source;
  if (isDecoded === true) return true;
  if (sampleBlockFormats.has(formatName) && misstatesBitrate === true) return false;
  if (sampleBlockFormats.has(formatName)) return /^pcm_(?:[suf]\d+[lb]e|[su]8|alaw|mulaw)$/.test(codec);
  return formatName === 'flac' && codec === 'flac' && declaredSeconds !== undefined;
}

/** Containers whose packets carry timestamps or are counted from the start. */
const timedPacketFormats = /^(?:mp3|aac|mov|matroska|ogg|mpegts|flv)\b/;

/** True if the packets of a compressed source can be located by time, to within one packet. */
export function hasTimedPackets({ formatName }: Pick<SeekableSource, 'formatName'>): boolean {
  return timedPacketFormats.test(formatName);
}
