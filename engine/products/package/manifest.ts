import { inheritAttributes, type RepresentationInfo, stringToMpdXml, toM3u8, toPlaylists } from 'mpd-parser';
import { MalformedFile } from '../../formats/malformed-file.ts';
import { readUInt32, readUInt64 } from '../../formats/isobmff/box.ts';
import { countSegments } from './count-segments.ts';
import {
  knownSeconds,
  type MediaPlaylist,
  type PlaylistSegment,
  type Resource,
  type StatedPictures,
} from './media-playlist.ts';

/** One choice of a DASH manifest. */
export interface Representation extends StatedPictures {
  id: string;
  /** bits per second */
  bandwidth: number;
  codecs: string;
  /** The representation as an HLS playlist would list it. Its segments may be in the index. */
  listing: MediaPlaylist;
  /** Names the segments of a file with byte ranges (sidx). */
  index: Resource | undefined;
}

export interface Manifest {
  text: string;
  representations: Representation[];
  /** Playback that a player buffers before it begins (ISO/IEC 23009-1, 5.3.1.2). */
  minBufferSeconds: number;
  /** Length of the presentation, after which players show nothing; 0 where the manifest says none. */
  seconds: number;
}

/** Seconds of sound after the end that are too short to matter: packagers take the length of the pictures. */
const mostBehindTheEnd = 0.5;

/** Length of all segments (pure). */
export const listedSeconds = ({ listing }: Representation): number =>
  listing.segments.reduce((sum, { seconds }) => sum + seconds, 0);

/** Whether players drop its end (pure). */
export const isCutShort = (representation: Representation, { seconds }: Pick<Manifest, 'seconds'>): boolean =>
  seconds > 0 && listedSeconds(representation) > seconds + mostBehindTheEnd;

/** A day in segments of a second, in about eleven representations. */
const mostSegments = 1_000_000;

function checkCounts(representations: readonly RepresentationInfo[]): void {
  const lines = representations.flatMap(({ segmentInfo }) => segmentInfo.segmentTimeline ?? []);
  if (lines.some(({ d }) => d === 0)) throw new MalformedFile('it names segments without a duration');
  // 0 / 0 is NaN, which no comparison refuses.
  if (!(countSegments(representations, Date.now()) <= mostSegments)) {
    throw new MalformedFile(`it names more than ${mostSegments} segments`);
  }
}

/** The parser throws errors of any class. */
function orMalformed<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw new MalformedFile(`it is not a DASH manifest (${error instanceof Error ? error.message : 'unreadable'})`);
  }
}

/** Some packagers write zero days, months and years. */
const secondsPattern = /^P(?:0+Y)?(?:0+M)?(?:0+D)?T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/;

/** Seconds of an ISO 8601 duration shorter than a day, such as `PT1M2.5S`; 0 for any other text. */
function secondsOf(text = ''): number {
  const [, hours, minutes, seconds] = secondsPattern.exec(text) ?? [];
  return 3600 * Number(hours ?? 0) + 60 * Number(minutes ?? 0) + Number(seconds ?? 0);
}

/** Throws a MalformedFile if the text is not a readable manifest. */
export function parseManifest(text: string, base: string): Manifest {
  const { representationInfo } = orMalformed(() => inheritAttributes(stringToMpdXml(text), { manifestUri: base }));
  checkCounts(representationInfo);
  const parsed = orMalformed(() => toM3u8({ dashPlaylists: toPlaylists(representationInfo) }));
  const sounds = Object.values(parsed.mediaGroups?.AUDIO ?? {}).flatMap((group) =>
    Object.values(group).flatMap(({ playlists }) => playlists),
  );
  const { type, minBufferTime, mediaPresentationDuration = 0 } = representationInfo[0]?.attributes ?? {};
  return {
    text,
    representations: [...(parsed.playlists ?? []), ...sounds].map(({ attributes, segments, sidx }) => {
      const [first] = segments;
      const map = first?.map ?? sidx?.map;
      return {
        id: attributes.NAME,
        bandwidth: attributes.BANDWIDTH,
        codecs: attributes.CODECS ?? '',
        resolution: attributes.RESOLUTION,
        frameRate: attributes['FRAME-RATE'] ?? 0,
        index: sidx && placeOf(sidx),
        listing: {
          url: base,
          targetSeconds: undefined,
          encryption: undefined,
          isEnded: type !== 'dynamic',
          isOfKeyFrames: false,
          isInterrupted: new Set(segments.map(({ timeline }) => timeline)).size > 1,
          init: map && placeOf(map),
          segments: segments.map((segment) => ({
            ...placeOf(segment),
            seconds: knownSeconds(segment.duration),
            startSeconds: segment.presentationTime,
          })),
        },
      };
    }),
    minBufferSeconds: secondsOf(minBufferTime),
    seconds: mediaPresentationDuration,
  };
}

const placeOf = ({
  resolvedUri,
  byterange,
}: {
  resolvedUri: string;
  byterange?: { offset: number | bigint; length: number | bigint };
}): Resource => ({
  uri: resolvedUri,
  range: byterange && { offset: Number(byterange.offset), length: Number(byterange.length) },
});

/** The segments that an index names (ISO/IEC 14496-12, 8.16.3). */
export function readSegmentIndex(sidx: Buffer, { uri, range }: Resource): PlaylistSegment[] {
  const isLong = sidx[0] === 1;
  const timescale = readUInt32(sidx, 8);
  const counted = isLong ? 28 : 20;
  const firstOffset = isLong ? readUInt64(sidx, 20) : readUInt32(sidx, 16);
  let startTicks = isLong ? readUInt64(sidx, 12) : readUInt32(sidx, 12);
  let offset = (range === undefined ? 0 : range.offset + range.length) + firstOffset;
  return Array.from({ length: readUInt32(sidx, counted) & 0xffff }, (_, index) => {
    const length = readUInt32(sidx, counted + 4 + 12 * index) & 0x7fffffff;
    const ticks = readUInt32(sidx, counted + 8 + 12 * index);
    const segment = {
      uri,
      range: { offset, length },
      seconds: knownSeconds(ticks / timescale),
      startSeconds: startTicks / timescale,
    };
    offset += length;
    startTicks += ticks;
    return segment;
  });
}
