/** What is used of it; it has no types of its own. */
declare module 'mpd-parser' {
  interface Place {
    resolvedUri: string;
    /** Of a range at the end of a long file they are BigInt. */
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
  export function parse(
    text: string,
    options: { manifestUri: string },
  ): { playlists: Playlist[]; mediaGroups: { AUDIO: Record<string, Record<string, { playlists: Playlist[] }>> } };
}
