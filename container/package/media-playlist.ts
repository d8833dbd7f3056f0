/** Bytes of a file. */
interface ByteRange {
  offset: number;
  length: number;
}

/** A file that a playlist names, relative to it, or a part of one. */
export interface Resource {
  uri: string;
  range: ByteRange | undefined;
}

export interface PlaylistSegment extends Resource {
  seconds: number;
}

/** What a media playlist says (RFC 8216, 4.3). */
export interface MediaPlaylist {
  targetSeconds: number;
  init: Resource | undefined;
  segments: PlaylistSegment[];
  isEnded: boolean;
  isOfKeyFrames: boolean;
}

const attribute = (text: string, name: string): string | undefined =>
  new RegExp(`(?:^|,)${name}=(?:"([^"]*)"|([^,]*))`)
    .exec(text)
    ?.slice(1)
    .find((value) => value !== undefined);

/** Reads what a packager has written; what is damaged shows in what is missing (pure). */
export function parseMediaPlaylist(text: string): MediaPlaylist {
  const lines = text.split('\n').map((line) => line.trim());
  const valueOf = (tag: string): string | undefined =>
    lines.find((line) => line.startsWith(`${tag}:`))?.slice(tag.length + 1);
  const map = valueOf('#EXT-X-MAP');
  const mapUri = map && attribute(map, 'URI');
  const segments: PlaylistSegment[] = [];
  let seconds: number | undefined;
  let range: string | undefined;
  for (const line of lines) {
    if (line.startsWith('#EXTINF:')) seconds = Number.parseFloat(line.slice(8));
    else if (line.startsWith('#EXT-X-BYTERANGE:')) range = line.slice(17);
    else if (line !== '' && !line.startsWith('#') && seconds !== undefined) {
      segments.push({ uri: line, seconds, range: parseRange(range, segments.at(-1)) });
      [seconds, range] = [undefined, undefined];
    }
  }
  return {
    targetSeconds: Number.parseFloat(valueOf('#EXT-X-TARGETDURATION') ?? '0'),
    init:
      map === undefined || mapUri === undefined
        ? undefined
        : { uri: mapUri, range: parseRange(attribute(map, 'BYTERANGE'), undefined) },
    segments,
    isEnded: lines.includes('#EXT-X-ENDLIST'),
    isOfKeyFrames: lines.includes('#EXT-X-I-FRAMES-ONLY'),
  };
}

/** `<length>[@<offset>]`; without an offset behind the one before. */
function parseRange(text: string | undefined, before: PlaylistSegment | undefined): ByteRange | undefined {
  if (text === undefined) return undefined;
  const [length = NaN, offset] = text.split('@').map(Number);
  return { length, offset: offset ?? (before?.range === undefined ? 0 : before.range.offset + before.range.length) };
}

/** One choice of a master playlist, with the line that says it. */
export interface Variant {
  line: string;
  uri: string;
  bandwidth: number;
  averageBandwidth: number;
  codecs: string;
  /** of the sound beside it */
  audioGroup: string | undefined;
  isOfKeyFrames: boolean;
}

export interface Sound {
  line: string;
  uri: string;
  group: string;
}

/** What a master playlist offers (pure). */
export function parseMaster(text: string): { variants: Variant[]; sounds: Sound[] } {
  const lines = text.split('\n').map((line) => line.trim());
  const variants = lines.flatMap((line, index): Variant[] => {
    const [, kind, attributes = ''] = /^#EXT-X-(STREAM-INF|I-FRAME-STREAM-INF):(.*)$/.exec(line) ?? [];
    if (kind === undefined) return [];
    const isOfKeyFrames = kind === 'I-FRAME-STREAM-INF';
    return [
      {
        ...{ line, isOfKeyFrames },
        uri: (isOfKeyFrames ? attribute(attributes, 'URI') : lines[index + 1]) ?? '',
        bandwidth: Number(attribute(attributes, 'BANDWIDTH') ?? 0),
        averageBandwidth: Number(attribute(attributes, 'AVERAGE-BANDWIDTH') ?? 0),
        codecs: attribute(attributes, 'CODECS') ?? '',
        audioGroup: attribute(attributes, 'AUDIO'),
      },
    ];
  });
  const sounds = lines.flatMap((line): Sound[] => {
    if (!line.startsWith('#EXT-X-MEDIA:') || attribute(line.slice(13), 'TYPE') !== 'AUDIO') return [];
    return [{ line, uri: attribute(line.slice(13), 'URI') ?? '', group: attribute(line.slice(13), 'GROUP-ID') ?? '' }];
  });
  return { variants, sounds };
}
