import { parse, setOptions, type types } from 'hls-parser';
import { UnreadableResource } from './unreadable-resource.ts';

interface ByteRange {
  offset: number;
  length: number;
}

/** A file that an index names, by its whole URL, or a part of that file. */
export interface Resource {
  uri: string;
  range: ByteRange | undefined;
}

export interface PlaylistSegment extends Resource {
  /** 0 if the index states no valid length. */
  seconds: number;
  /** DASH only. */
  startSeconds?: number;
}

/** A media playlist (RFC 8216, 4.3), or one representation of a DASH manifest. */
export interface MediaPlaylist {
  /** URL of the playlist or the manifest. */
  url: string;
  /** Undefined in DASH. */
  targetSeconds: number | undefined;
  init: Resource | undefined;
  segments: PlaylistSegment[];
  isEnded: boolean;
  isOfKeyFrames: boolean;
  /** Method of the first encrypted segment. */
  encryption: string | undefined;
  /** Timestamps or the init segment change between two segments. */
  isInterrupted: boolean;
}

/** Facts that an index states about a variant's pictures. */
export interface StatedPictures {
  resolution: { width: number; height: number } | undefined;
  /** Highest number of pictures a second; 0 where the index says none. */
  frameRate: number;
}

export interface Variant extends StatedPictures {
  uri: string;
  bandwidth: number;
  averageBandwidth: number;
  codecs: string;
  audioGroup: string | undefined;
  isOfKeyFrames: boolean;
}

export interface Sound {
  uri: string;
  group: string;
  language: string | undefined;
}

export interface MasterPlaylist {
  text: string;
  url: string;
  /** Variants in the order of their tags. */
  variants: Variant[];
  sounds: Sound[];
  /** Types of all other media that the playlist offers, such as `SUBTITLES`. */
  others: string[];
}

/** The given length, or 0 if it is invalid: NaN, negative or absurd (pure). */
export const knownSeconds = (seconds: number): number => (seconds >= 1e-6 && seconds <= 1e9 ? seconds : 0);

// The library would print every deviation from RFC 8216.
setOptions({ silent: true });

/** Replaces apostrophes in tags: the library reads one as the beginning of a quoted value. */
const apostrophe = '\u{F0027}';

/** Text that makes the library throw is reported as an unreadable playlist. */
function parseText(text: string): types.MasterPlaylist | types.MediaPlaylist {
  const readable = text
    // The library throws at titles that are not ASCII. Nothing here needs a title.
    .replaceAll(/^([^\S\n]*#EXTINF:[^,\r\n]*).*$/gm, '$1')
    .replaceAll(/^[^\S\n]*#EXT.*$/gm, (tag) => tag.replaceAll("'", apostrophe));
  try {
    return parse(readable);
  } catch {
    throw new UnreadableResource('is not an HLS playlist');
  }
}

/** An invalid URI stays as it is; its file is then reported as missing. */
export function resolveUri(uri: unknown, base: string): string {
  const plain = typeof uri === 'string' ? uri.replaceAll(apostrophe, "'") : '';
  return URL.parse(plain, base)?.href ?? plain;
}

/** The library reports -1 for a first range without an offset. */
function rangeOf({ offset, length }: ByteRange = { offset: 0, length: 0 }): ByteRange | undefined {
  const range = { offset: Math.max(0, offset), length };
  return Number.isSafeInteger(range.offset) && Number.isSafeInteger(length) && length > 0 ? range : undefined;
}

/** A range without an offset follows the one before. The library counts the first of a file, and so the next, from -1. */
function rangesOf(segments: readonly types.Segment[]): (ByteRange | undefined)[] {
  let early: { uri: string; end: number } | undefined;
  return segments.map(({ uri, byterange }) => {
    if (byterange === undefined) return undefined;
    const { offset, length } = byterange;
    const isEarly = offset === -1 || (early?.uri === uri && early.end === offset);
    if (isEarly) early = { uri, end: offset + length };
    return rangeOf({ offset: isEarly ? offset + 1 : offset, length });
  });
}

/** Throws an UnreadableResource if the text is not a playlist (pure). */
export function parseMediaPlaylist(text: string, base: string): MediaPlaylist {
  const parsed = parseText(text);
  // The library makes a segment without a URI from tags after the last one.
  const listed = parsed.isMasterPlaylist ? [] : parsed.segments;
  const parts = listed.filter(({ uri }) => uri !== '');
  const ranges = rangesOf(parts);
  const maps = listed.flatMap(({ map }): Resource[] =>
    map?.uri === undefined ? [] : [{ uri: resolveUri(map.uri, base), range: rangeOf(map.byterange) }],
  );
  const [init] = maps;
  return {
    url: base,
    targetSeconds: parsed.isMasterPlaylist ? 0 : (parsed.targetDuration ?? 0),
    init,
    segments: parts.map(({ uri, duration }, index) => ({
      uri: resolveUri(uri, base),
      seconds: knownSeconds(duration),
      range: ranges[index],
    })),
    isEnded: !parsed.isMasterPlaylist && parsed.endlist,
    isOfKeyFrames: !parsed.isMasterPlaylist && parsed.isIFrame === true,
    encryption: listed.flatMap(({ key }) => key?.method ?? []).find((method) => method !== 'NONE'),
    isInterrupted:
      listed.some(({ discontinuity }) => discontinuity === true) ||
      maps.some(({ uri, range }) => uri !== init?.uri || range?.offset !== init.range?.offset),
  };
}

/** The library accepts a rendition without its group, which RFC 8216 requires. */
function groupOf({ groupId }: { groupId?: string | undefined }): string {
  return groupId?.replaceAll(apostrophe, "'") ?? '';
}

/** Throws an UnreadableResource if the text is not a playlist (pure). */
export function parseMaster(text: string, base: string): MasterPlaylist {
  // The library lists sound below the variants that name its group. Each group gets one here, so that none is lost.
  const groups = new Set(
    [...text.matchAll(/^[^\S\n]*#EXT-X-MEDIA:.*\bGROUP-ID="([^"]*)"/gm)].map(([, group]) => group),
  );
  const naming = [...groups].map((group) => `#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="${group}"\n-\n`);
  const parsed = parseText(`${text}\n${naming.join('')}`);
  const all = parsed.isMasterPlaylist ? parsed.variants : [];
  const sounds = all.splice(all.length - groups.size).flatMap(({ audio }) => audio);
  return {
    text,
    url: base,
    variants: all.map((variant) => ({
      isOfKeyFrames: variant.isIFrameOnly === true,
      uri: resolveUri(variant.uri, base),
      bandwidth: variant.bandwidth ?? 0,
      averageBandwidth: variant.averageBandwidth ?? 0,
      codecs: variant.codecs ?? '',
      audioGroup: variant.audio[0] && groupOf(variant.audio[0]),
      resolution: variant.resolution?.width && variant.resolution.height ? variant.resolution : undefined,
      frameRate: variant.frameRate ?? 0,
    })),
    // Sound without a URI is in the files of the pictures.
    sounds: sounds.flatMap(({ uri, groupId, language }) =>
      uri === undefined ? [] : [{ uri: resolveUri(uri, base), group: groupOf({ groupId }), language }],
    ),
    others: otherMedia(text),
  };
}

/** The library drops image playlists, and subtitles that no variant names. */
function otherMedia(text: string): string[] {
  const types = [...text.matchAll(/^#EXT-X-(?:MEDIA:(?:.*,)?TYPE=([A-Z-]+)|IMAGE-STREAM-INF:)/gm)];
  return [...new Set(types.map(([, type = 'IMAGES']) => type))].filter(
    (type) => type !== 'AUDIO' && type !== 'CLOSED-CAPTIONS',
  );
}
