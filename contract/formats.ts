/**
 * The one table of what Holdfast writes: containers (files) with the codecs that they hold, and the formats that are short for one
 * of each. What can be asked of a codec stands in `audio-codecs.ts`. Everything else looks here. A new format is a row here
 * (CONTRIBUTING.md, "Add a format"). Workflow code bundles this file at run time.
 */
import type { AudioCodec } from './audio-codecs.ts';
import type { VideoCodec } from './video-codecs.ts';

/** The last two are pictures; `ass` is text that has styles and places. */
export type SubtitleCodec =
  'mov_text' | 'subrip' | 'webvtt' | 'ass' | 'hdmv_pgs_subtitle' | 'dvd_subtitle' | 'dvb_subtitle';

/** ffmpeg's names of demuxers that read the length of a file from its headers. */
export type IndexedDemuxer = 'mp3' | 'mov' | 'ogg' | 'matroska' | 'flac' | 'wav';

interface CommonFacts {
  /** Extension of file names without the dot. */
  extension: string;
  contentType: string;
  /** ffmpeg's names */
  muxer: string;
  muxerOptions: readonly string[];
  /** What it is given of tags: all, written into the finished file (`engine/formats/tags/`), or metadata alone, which ffmpeg writes with it. */
  tags: 'all' | 'metadata' | 'none';
  /** What it may hold; the first is taken where none is asked for. */
  audioCodecs: readonly [AudioCodec, ...AudioCodec[]];
  /** The same of pictures. Undefined: it holds sound alone. */
  videoCodecs?: readonly [VideoCodec, ...VideoCodec[]];
  /** ffmpeg's names of subtitle codecs beside pictures. Text becomes the first one, unless its own codec is listed. */
  subtitleCodecs?: readonly [SubtitleCodec, ...SubtitleCodec[]];
  /** Content type of a file with pictures. */
  videoContentType?: string;
  /** Whether it is written for pictures only; sound alone has a container of its own. */
  needsVideo?: true;
}

/** Raw files have frames alone: no index to seek by, no length, and no word of the encoder's delay. */
type ContainerFacts = CommonFacts & ({ isRaw?: never; demuxer: IndexedDemuxer } | { isRaw: true; demuxer: string });

/** The index before the media, so that a player may begin before the end has come. */
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
  // An m4a under the name by which players know an audiobook, and keep the place in it.
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
    audioCodecs: ['aac', 'alac', 'ac3'],
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
  // Opus too: RFC 7845 would have `.opus`, but transcription APIs go by the extension and know `.ogg` only.
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
    audioCodecs: ['flac', 'pcm', 'opus', 'vorbis', 'aac', 'mp3', 'mp2', 'ac3'],
  },
  mkv: {
    extension: 'mkv',
    contentType: 'video/x-matroska',
    muxer: 'matroska',
    muxerOptions: [],
    demuxer: 'matroska',
    tags: 'metadata',
    audioCodecs: ['opus', 'flac', 'pcm', 'vorbis', 'aac', 'mp3', 'mp2', 'ac3'],
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
  // RF64 only where 4 GiB do not do (EBU Tech 3306).
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
} as const satisfies Record<string, ContainerFacts>;

export type ContainerName = keyof typeof containers;

export function isContainerName(name: string): name is ContainerName {
  return Object.hasOwn(containers, name);
}

export function containerFacts(container: ContainerName): ContainerFacts {
  return containers[container];
}

/** Container and codec by the name before the underscore of a `format`. */
export const formats = {
  mp3: { container: 'mp3', codec: 'mp3' },
  mp2: { container: 'mp2', codec: 'mp2' },
  aac: { container: 'm4a', codec: 'aac' },
  opus: { container: 'ogg', codec: 'opus' },
  vorbis: { container: 'ogg', codec: 'vorbis' },
  ac3: { container: 'ac3', codec: 'ac3' },
  flac: { container: 'flac', codec: 'flac' },
  alac: { container: 'm4a', codec: 'alac' },
  wav: { container: 'wav', codec: 'pcm' },
} as const satisfies Record<string, { container: ContainerName; codec: AudioCodec }>;

export type FormatBase = keyof typeof formats;

/** The container of sound that is encoded to be copied beside pictures. It must keep where the first sample is, and the last. */
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

/** Container, codec and bitrate of a name such as `mp3_128`; undefined for an unknown one. The source decides which bitrates are possible. */
export function parseFormat(format: string): ParsedFormat | undefined {
  const [name = '', bitrate] = format.split('_');
  if (!Object.hasOwn(formats, name)) return undefined;
  return { ...formats[name as FormatBase], bitrate: bitrate === undefined ? undefined : Number(bitrate) };
}

/** Extension of the file of a `format`; the name itself for an unknown one. */
export function formatExtension(format: string): string {
  const parsed = parseFormat(format);
  return parsed === undefined ? format.replace(/_.*$/, '') : containers[parsed.container].extension;
}

/** The container of the chunks for each lossy source codec (ffprobe's name): chunks keep its packets, or are encoded to the like of it. */
const chunkContainers = {
  mp3: 'mp3',
  aac: 'm4a',
  opus: 'ogg',
  vorbis: 'ogg',
} as const satisfies Record<string, ContainerName>;

export type ChunkContainer = (typeof chunkContainers)[keyof typeof chunkContainers] | 'wav' | 'flac';

/** The container of a source's chunks, by the codec name that ffprobe gives it. What cannot be cut as it is becomes FLAC, which loses nothing. */
export function chunkContainer(probedCodec: string): ChunkContainer {
  if (probedCodec.startsWith('pcm_')) return 'wav';
  return Object.hasOwn(chunkContainers, probedCodec)
    ? chunkContainers[probedCodec as keyof typeof chunkContainers]
    : 'flac';
}

/** MIME type by the extension of a file name. */
export function contentTypeOfName(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const found = Object.values(containers).find((container) => container.extension === extension);
  return found?.contentType ?? 'application/octet-stream';
}
