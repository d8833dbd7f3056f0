/** What is known of a source where it is decided how to get at a place in it. Names are ffprobe's. */
export interface SeekableSource {
  formatName: string;
  codec: string;
  /** undefined: the file does not say, or not reliably */
  declaredSeconds: number | undefined;
  /** its samples lie in a file of ours, whatever its codec was */
  isDecoded?: true;
}

/** Containers that hold nothing but one block of samples. */
const sampleBlockFormats = new Set(['wav', 'w64', 'aiff', 'au', 'caf']);

/**
 * True where ffmpeg finds any sample by seeking: samples of one size one after the other, and FLAC, whose frames carry
 * their sample number (RFC 9639, 9.1.5). A FLAC must tell its length, for what is missing in its middle shows nowhere else.
 *
 * All others are decoded from their beginning. ffmpeg seeks ADPCM and WMA by their average bytes a second, AVI by the whole
 * packet, and in Matroska and MPEG some decoders drop what they decode first after a seek: 20 ms to minutes beside the place.
 */
export function isExactToSeek({ formatName, codec, declaredSeconds, isDecoded }: SeekableSource): boolean {
  if (isDecoded === true) return true;
  if (sampleBlockFormats.has(formatName)) return /^pcm_(?:[suf]\d+[lb]e|[su]8|alaw|mulaw)$/.test(codec);
  return formatName === 'flac' && codec === 'flac' && declaredSeconds !== undefined;
}

/** Containers whose packets say when they are heard, or are counted from the beginning. */
const timedPacketFormats = /^(?:mp3|aac|mov|matroska|ogg|mpegts|flv)\b/;

/** True where the packets of a compressed source can be found by their time, to within one of them. */
export function hasTimedPackets({ formatName }: Pick<SeekableSource, 'formatName'>): boolean {
  return timedPacketFormats.test(formatName);
}
