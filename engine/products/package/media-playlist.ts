/** Bytes of a file. */
interface ByteRange {
  offset: number;
  length: number;
}

/** A file that a playlist names, as a whole URL, or a part of one. */
export interface Resource {
  uri: string;
  range: ByteRange | undefined;
}

export interface PlaylistSegment extends Resource {
  seconds: number;
  /** Of its beginning, as a manifest of DASH says it. */
  startSeconds?: number;
}

/** What a media playlist says (RFC 8216, 4.3), or a manifest of DASH of one of its choices. */
export interface MediaPlaylist {
  /** Of itself, or of the manifest. */
  url: string;
  /** Undefined in DASH, which has none. */
  targetSeconds: number | undefined;
  init: Resource | undefined;
  segments: PlaylistSegment[];
  isEnded: boolean;
  isOfKeyFrames: boolean;
  /** The method, of some or all of its segments. */
  encryption: string | undefined;
  /** Its times or its init segment change in the middle. */
  isInterrupted: boolean;
}

/** Of a length that an index says: what is none, or no length that a segment can have, is 0 (pure). */
export const knownSeconds = (seconds: number): number => (seconds >= 1e-6 && seconds <= 1e9 ? seconds : 0);

const attribute = (text: string, name: string): string | undefined =>
  new RegExp(`(?:^|,)${name}=(?:"([^"]*)"|([^,]*))`)
    .exec(text)
    ?.slice(1)
    .find((value) => value !== undefined);

/** Reads what a packager has written; what is damaged or no number shows in what is missing, or 0 (pure). */
export function parseMediaPlaylist(text: string, base: string): MediaPlaylist {
  const lines = text.split('\n').map((line) => line.trim());
  const placeOf = (uri: string): string => resolveUri(uri, base);
  const valueOf = (tag: string): string | undefined =>
    lines.find((line) => line.startsWith(`${tag}:`))?.slice(tag.length + 1);
  const map = valueOf('#EXT-X-MAP');
  const mapUri = map && attribute(map, 'URI');
  const segments: PlaylistSegment[] = [];
  let seconds: number | undefined;
  let range: string | undefined;
  const keys = lines.flatMap((line) => (line.startsWith('#EXT-X-KEY:') ? [attribute(line.slice(11), 'METHOD')] : []));
  for (const line of lines) {
    if (line.startsWith('#EXTINF:')) seconds = knownSeconds(Number.parseFloat(line.slice(8)));
    else if (line.startsWith('#EXT-X-BYTERANGE:')) range = line.slice(17);
    else if (line !== '' && !line.startsWith('#') && seconds !== undefined) {
      segments.push({ uri: placeOf(line), seconds, range: parseRange(range, segments.at(-1)) });
      [seconds, range] = [undefined, undefined];
    }
  }
  return {
    url: base,
    targetSeconds: Number.parseFloat(valueOf('#EXT-X-TARGETDURATION') ?? '') || 0,
    init:
      map === undefined || mapUri === undefined
        ? undefined
        : { uri: placeOf(mapUri), range: parseRange(attribute(map, 'BYTERANGE'), undefined) },
    segments,
    isEnded: lines.includes('#EXT-X-ENDLIST'),
    isOfKeyFrames: lines.includes('#EXT-X-I-FRAMES-ONLY'),
    encryption: keys.find((method) => method !== undefined && method !== 'NONE'),
    isInterrupted:
      lines.includes('#EXT-X-DISCONTINUITY') || lines.filter((line) => line.startsWith('#EXT-X-MAP:')).length > 1,
  };
}

/** What cannot be one stays as it is, and is found to be missing. */
function resolveUri(uri: string, base: string): string {
  return URL.parse(uri, base)?.href ?? uri;
}

/** `<length>[@<offset>]`; without an offset behind the one before. */
function parseRange(text: string | undefined, before: PlaylistSegment | undefined): ByteRange | undefined {
  const [, length = '', offset] = /^(\d+)(?:@(\d+))?$/.exec(text ?? '') ?? [];
  if (length === '') return undefined;
  const behind = before?.range === undefined ? 0 : before.range.offset + before.range.length;
  return { length: Number(length), offset: offset === undefined ? behind : Number(offset) };
}

/** What an index says of the pictures of a choice. */
export interface ToldPictures {
  /** pixels; undefined where it does not say */
  resolution: { width: number; height: number } | undefined;
  /** pictures a second at most; 0 where it does not say */
  frameRate: number;
}

/** One choice of a master playlist, with the number of the line that says it. */
export interface Variant extends ToldPictures {
  line: number;
  uri: string;
  bandwidth: number;
  averageBandwidth: number;
  codecs: string;
  /** of the sound beside it */
  audioGroup: string | undefined;
  isOfKeyFrames: boolean;
}

export interface Sound {
  line: number;
  uri: string;
  group: string;
}

export interface MasterPlaylist {
  text: string;
  url: string;
  variants: Variant[];
  sounds: Sound[];
  /** What else it offers, as its tags call it: `SUBTITLES`. */
  others: string[];
}

/** What a master playlist offers (pure). */
export function parseMaster(text: string, base: string): MasterPlaylist {
  const lines = text.split('\n').map((line) => line.trim());
  const variants = lines.flatMap((text, line): Variant[] => {
    const [, kind, attributes = ''] = /^#EXT-X-(STREAM-INF|I-FRAME-STREAM-INF):(.*)$/.exec(text) ?? [];
    if (kind === undefined) return [];
    const isOfKeyFrames = kind === 'I-FRAME-STREAM-INF';
    return [
      {
        ...{ line, isOfKeyFrames },
        uri: resolveUri((isOfKeyFrames ? attribute(attributes, 'URI') : nextUri(lines, line)) ?? '', base),
        bandwidth: Number(attribute(attributes, 'BANDWIDTH')) || 0,
        averageBandwidth: Number(attribute(attributes, 'AVERAGE-BANDWIDTH')) || 0,
        codecs: attribute(attributes, 'CODECS') ?? '',
        audioGroup: attribute(attributes, 'AUDIO'),
        resolution: parseResolution(attribute(attributes, 'RESOLUTION')),
        frameRate: Number(attribute(attributes, 'FRAME-RATE')) || 0,
      },
    ];
  });
  const sounds = lines.flatMap((text, line): Sound[] => {
    const [, attributes = ''] = /^#EXT-X-MEDIA:(.*)$/.exec(text) ?? [];
    const uri = attribute(attributes, 'URI');
    // Without one the sound is in the files of the pictures.
    if (uri === undefined || attribute(attributes, 'TYPE') !== 'AUDIO') return [];
    return [{ line, uri: resolveUri(uri, base), group: attribute(attributes, 'GROUP-ID') ?? '' }];
  });
  return { text, url: base, variants, sounds, others: otherMedia(lines) };
}

function parseResolution(text: string | undefined): ToldPictures['resolution'] {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(text ?? '') ?? [];
  return height === undefined ? undefined : { width: Number(width), height: Number(height) };
}

function otherMedia(lines: readonly string[]): string[] {
  const types = lines.flatMap((line) => {
    if (line.startsWith('#EXT-X-IMAGE-STREAM-INF:')) return ['IMAGES'];
    return (line.startsWith('#EXT-X-MEDIA:') && attribute(line.slice(13), 'TYPE')) || [];
  });
  return [...new Set(types)].filter((type) => type !== 'AUDIO' && type !== 'CLOSED-CAPTIONS');
}

/** Behind a tag there may be comments and empty lines. */
function nextUri(lines: readonly string[], index: number): string | undefined {
  return lines.slice(index + 1).find((line) => line !== '' && !line.startsWith('#'));
}
