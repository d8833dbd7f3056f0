/**
 * The one table of what Holdfast writes: containers with the codecs that they hold, and the short format names.
 * `audio-codecs.ts` has the options of each codec. A new format is a row here (CONTRIBUTING.md, "Add a format").
 * Workflow code bundles this file at run time.
 */
import type { AudioCodec } from './audio-codecs.ts';
import type { VideoCodec } from './video-codecs.ts';

/** The last two are bitmaps; `ass` is text with styles and positions. */
export type SubtitleCodec =
  'mov_text' | 'subrip' | 'webvtt' | 'ass' | 'hdmv_pgs_subtitle' | 'dvd_subtitle' | 'dvb_subtitle';

/** ffmpeg's names of demuxers that read a file's length from its headers. */
export type IndexedDemuxer = 'mp3' | 'mov' | 'ogg' | 'matroska' | 'flac' | 'wav';

interface CommonFacts {
  /** File extension without the dot. */
  extension: string;
  contentType: string;
  /** ffmpeg's names */
  muxer: string;
  muxerOptions: readonly string[];
  /**
   * Tags of its files: `all` are written into the finished file (`engine/formats/tags/`); `metadata` is written by
   * ffmpeg.
   */
  tags: 'all' | 'metadata' | 'none';
  /** Codecs that it can hold; the first is the default. */
  audioCodecs: readonly [AudioCodec, ...AudioCodec[]];
  /** Video codecs, likewise. Undefined: sound only. */
  videoCodecs?: readonly [VideoCodec, ...VideoCodec[]];
  /**
   * ffmpeg's names of subtitle codecs that go with pictures. Text becomes the first one unless its own codec is listed.
   */
  subtitleCodecs?: readonly [SubtitleCodec, ...SubtitleCodec[]];
  /** Content type of a file with pictures. */
  videoContentType?: string;
  /** The container is for pictures only; sound alone has its own. */
  needsVideo?: true;
}

/** A raw file has frames only: no index, no length, and no record of the encoder's delay. */
type ContainerFacts = CommonFacts & ({ isRaw?: never; demuxer: IndexedDemuxer } | { isRaw: true; demuxer: string });

/** Moves the index before the media, so that players can start before the download ends. */
const indexFirst = ['-movflags', '+faststart'] as const;

export const containers = {
  mp3: {
    extension: 'mp3',
    contentType: 'audio/mpeg',
    muxer: 'mp3',
    muxerOptions: [],
    demuxer: 'mp3',
    tags: 'all',
    audioCodecs: ['mp3'],
  },
  m4a: {
    extension: 'm4a',
    contentType: 'audio/mp4',
    muxer: 'ipod',
    muxerOptions: indexFirst,
    demuxer: 'mov',
    tags: 'all',
    audioCodecs: ['aac', 'alac'],
  },
  // An m4a with the extension by which players recognise an audiobook and remember the position.
  m4b: {
    extension: 'm4b',
    contentType: 'audio/mp4',
    muxer: 'ipod',
    muxerOptions: indexFirst,
    demuxer: 'mov',
    tags: 'all',
    audioCodecs: ['aac', 'alac'],
  },
  mp4: {
    extension: 'mp4',
    contentType: 'audio/mp4',
    muxer: 'mp4',
    muxerOptions: indexFirst,
    demuxer: 'mov',
    tags: 'all',
    // ffmpeg 5.1 does not report the duration of a lone eac3 packet, so fragments of a moment of sound are refused.
    audioCodecs: ['aac', 'alac', 'ac3', 'eac3'],
    videoCodecs: ['h264', 'hevc', 'av1'],
    subtitleCodecs: ['mov_text'],
    videoContentType: 'video/mp4',
  },
  mov: {
    extension: 'mov',
    contentType: 'video/quicktime',
    muxer: 'mov',
    muxerOptions: indexFirst,
    demuxer: 'mov',
    tags: 'all',
    audioCodecs: ['aac', 'pcm', 'alac'],
    videoCodecs: ['h264', 'hevc', 'prores'],
    subtitleCodecs: ['mov_text'],
    needsVideo: true,
  },
  // Opus too: RFC 7845 prescribes `.opus`, but transcription APIs go by the extension and know only `.ogg`.
  ogg: {
    extension: 'ogg',
    contentType: 'audio/ogg',
    muxer: 'ogg',
    muxerOptions: [],
    demuxer: 'ogg',
    tags: 'all',
    audioCodecs: ['opus', 'vorbis', 'flac'],
  },
  webm: {
    extension: 'webm',
    contentType: 'audio/webm',
    muxer: 'webm',
    muxerOptions: [],
    demuxer: 'matroska',
    tags: 'metadata',
    audioCodecs: ['opus', 'vorbis'],
    videoCodecs: ['vp9', 'av1'],
    subtitleCodecs: ['webvtt'],
    videoContentType: 'video/webm',
  },
  mka: {
    extension: 'mka',
    contentType: 'audio/x-matroska',
    muxer: 'matroska',
    muxerOptions: [],
    demuxer: 'matroska',
    tags: 'metadata',
    audioCodecs: ['flac', 'pcm', 'opus', 'vorbis', 'aac', 'mp3', 'mp2', 'ac3', 'eac3'],
  },
  mkv: {
    extension: 'mkv',
    contentType: 'video/x-matroska',
    muxer: 'matroska',
    muxerOptions: [],
    demuxer: 'matroska',
    tags: 'metadata',
    audioCodecs: ['opus', 'flac', 'pcm', 'vorbis', 'aac', 'mp3', 'mp2', 'ac3', 'eac3'],
    videoCodecs: ['h264', 'hevc', 'av1', 'vp9', 'ffv1', 'prores'],
    subtitleCodecs: ['subrip', 'ass', 'hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle'],
    needsVideo: true,
  },
  flac: {
    extension: 'flac',
    contentType: 'audio/flac',
    muxer: 'flac',
    muxerOptions: [],
    demuxer: 'flac',
    tags: 'all',
    audioCodecs: ['flac'],
  },
  // RF64 only above 4 GiB (EBU Tech 3306).
  wav: {
    extension: 'wav',
    contentType: 'audio/wav',
    muxer: 'wav',
    muxerOptions: ['-rf64', 'auto'],
    demuxer: 'wav',
    tags: 'all',
    audioCodecs: ['pcm'],
  },
  mp2: {
    extension: 'mp2',
    contentType: 'audio/mpeg',
    muxer: 'mp2',
    muxerOptions: [],
    demuxer: 'mp3',
    isRaw: true,
    tags: 'none',
    audioCodecs: ['mp2'],
  },
  // RFC 4184
  ac3: {
    extension: 'ac3',
    contentType: 'audio/ac3',
    muxer: 'ac3',
    muxerOptions: [],
    demuxer: 'ac3',
    isRaw: true,
    tags: 'none',
    audioCodecs: ['ac3'],
  },
  // RFC 4598
  eac3: {
    extension: 'eac3',
    contentType: 'audio/eac3',
    muxer: 'eac3',
    muxerOptions: [],
    demuxer: 'eac3',
    isRaw: true,
    tags: 'none',
    audioCodecs: ['eac3'],
  },
} as const satisfies Record<string, ContainerFacts>;

export type ContainerName = keyof typeof containers;

export function isContainerName(name: string): name is ContainerName {
  return Object.hasOwn(containers, name);
}

export function containerFacts(container: ContainerName): ContainerFacts {
  return containers[container];
}

/** Container and codec by the prefix of a `format` name. */
export const formats = {
  mp3: { container: 'mp3', codec: 'mp3' },
  mp2: { container: 'mp2', codec: 'mp2' },
  aac: { container: 'm4a', codec: 'aac' },
  opus: { container: 'ogg', codec: 'opus' },
  vorbis: { container: 'ogg', codec: 'vorbis' },
  ac3: { container: 'ac3', codec: 'ac3' },
  eac3: { container: 'eac3', codec: 'eac3' },
  flac: { container: 'flac', codec: 'flac' },
  alac: { container: 'm4a', codec: 'alac' },
  wav: { container: 'wav', codec: 'pcm' },
} as const satisfies Record<string, { container: ContainerName; codec: AudioCodec }>;

export type FormatBase = keyof typeof formats;

/**
 * Container for sound that is encoded separately and then copied beside pictures. It must record the first and last
 * sample.
 */
export function soundContainer(codec: AudioCodec): ContainerName {
  const own = Object.values(formats).find((format) => format.codec === codec)?.container ?? 'mp4';
  if (containerFacts(own).isRaw !== true) return own;
  return containerFacts('mp4').audioCodecs.includes(codec) ? 'mp4' : 'mov';
}

export interface ParsedFormat {
  container: ContainerName;
  codec: AudioCodec;
  /** kbit/s */
  bitrate: number | undefined;
}

/**
 * Container, codec and bitrate of a name such as `mp3_128`; undefined if unknown. Possible bitrates depend on the
 * source.
 */
export function parseFormat(format: string): ParsedFormat | undefined {
  const [name = '', bitrate] = format.split('_');
  if (!Object.hasOwn(formats, name)) return undefined;
  return { ...formats[name as FormatBase], bitrate: bitrate === undefined ? undefined : Number(bitrate) };
}

/** File extension of a `format`; the name itself if it is unknown. */
export function formatExtension(format: string): string {
  const parsed = parseFormat(format);
  return parsed === undefined ? format.replace(/_.*$/, '') : containers[parsed.container].extension;
}

/**
 * Chunk container of each lossy source codec (ffprobe's name): chunks keep its packets, or are encoded to a similar
 * codec.
 */
const chunkContainers = {
  mp3: 'mp3',
  aac: 'm4a',
  opus: 'ogg',
  vorbis: 'ogg',
} as const satisfies Record<string, ContainerName>;

export type ChunkContainer = (typeof chunkContainers)[keyof typeof chunkContainers] | 'wav' | 'flac';

/**
 * Chunk container for a codec name of ffprobe. Sources that cannot be cut as they are become FLAC, which is lossless.
 */
export function chunkContainer(probedCodec: string): ChunkContainer {
  if (probedCodec.startsWith('pcm_')) return 'wav';
  return Object.hasOwn(chunkContainers, probedCodec)
    ? chunkContainers[probedCodec as keyof typeof chunkContainers]
    : 'flac';
}

export function contentTypeOfName(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const found = Object.values(containers).find((container) => container.extension === extension);
  return found?.contentType ?? 'application/octet-stream';
}
