/** The part of mpd-parser that Holdfast uses; the package has no types of its own. */
declare module 'mpd-parser' {
  interface Place {
    resolvedUri: string;
    /** BigInt for a range at the end of a long file. */
    byterange?: { offset: number | bigint; length: number | bigint };
  }
  interface Playlist {
    attributes: {
      NAME: string;
      BANDWIDTH: number;
      CODECS?: string;
      RESOLUTION?: { width: number; height: number };
      'FRAME-RATE'?: number;
    };
    segments: (Place & { duration: number; presentationTime: number; timeline: number; map?: Place })[];
    sidx?: Place & { map: Place };
  }
  /** Attributes of a representation and of all that encloses it. Times are seconds, `duration` is ticks. */
  interface SegmentAttributes {
    type?: string;
    minBufferTime?: string;
    mediaPresentationDuration?: number;
    sourceDuration?: number;
    periodDuration?: number;
    periodStart?: number;
    availabilityStartTime?: number;
    timeShiftBufferDepth?: number;
    timescale?: number;
    duration?: number;
    endNumber?: number | string;
  }
  /** An `S` element: `r` repeats it, -1 up to the next one or the end. */
  export interface TimelineEntry {
    t?: number;
    d?: number;
    r?: number;
  }
  export interface RepresentationInfo {
    attributes: SegmentAttributes;
    segmentInfo: {
      template?: SegmentAttributes;
      list?: SegmentAttributes;
      base?: SegmentAttributes;
      segmentTimeline?: TimelineEntry[];
    };
  }
  export function stringToMpdXml(text: string): object;
  export function inheritAttributes(
    mpd: object,
    options: { manifestUri: string },
  ): { representationInfo: RepresentationInfo[] };
  export function toPlaylists(representations: RepresentationInfo[]): object[];
  /** The result is empty if there is no representation. */
  export function toM3u8(manifest: { dashPlaylists: object[] }): {
    playlists?: Playlist[];
    mediaGroups?: { AUDIO: Record<string, Record<string, { playlists: Playlist[] }>> };
  };
}
