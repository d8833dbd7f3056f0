/** Names of one kind of metadata in each format. Without a name, a format stores it as a custom field. */
interface TagNames {
  /** node-id3's name of the ID3v2.3 text frame, or the frame's id. */
  id3?: string;
  /** Item type in the iTunes list. */
  mp4?: string;
  /** Bytes of the number in that item, which holds no text; 8 for a position. */
  mp4Bytes?: 1 | 4 | 8;
  /** Field of a Vorbis comment. */
  vorbis?: string;
  /** Chunk of RIFF's INFO list. */
  riff?: string;
}

/**
 * Keyed by ffmpeg's generic names, or the usual ones. Kinds with an encoding of their own (dates, comments) are handled
 * by their writers.
 */
const rows: Readonly<Record<string, TagNames>> = {
  title: { id3: 'title', mp4: '\u00a9nam', vorbis: 'TITLE', riff: 'INAM' },
  artist: { id3: 'artist', mp4: '\u00a9ART', vorbis: 'ARTIST', riff: 'IART' },
  album: { id3: 'album', mp4: '\u00a9alb', vorbis: 'ALBUM', riff: 'IPRD' },
  album_artist: { id3: 'performerInfo', mp4: 'aART', vorbis: 'ALBUMARTIST' },
  composer: { id3: 'composer', mp4: '\u00a9wrt', vorbis: 'COMPOSER', riff: 'IMUS' },
  date: { mp4: '\u00a9day', vorbis: 'DATE', riff: 'ICRD' },
  track: { id3: 'trackNumber', mp4: 'trkn', mp4Bytes: 8, vorbis: 'TRACKNUMBER', riff: 'IPRT' },
  disc: { id3: 'partOfSet', mp4: 'disk', mp4Bytes: 8, vorbis: 'DISCNUMBER' },
  genre: { id3: 'genre', mp4: '\u00a9gen', vorbis: 'GENRE', riff: 'IGNR' },
  comment: { mp4: '\u00a9cmt', vorbis: 'COMMENT', riff: 'ICMT' },
  description: { mp4: 'desc', vorbis: 'DESCRIPTION', riff: 'ISBJ' },
  synopsis: { mp4: 'ldes' },
  language: { id3: 'language', vorbis: 'LANGUAGE', riff: 'ILNG' },
  copyright: { id3: 'copyright', mp4: 'cprt', vorbis: 'COPYRIGHT', riff: 'ICOP' },
  url: { vorbis: 'URL' },
  publisher: { id3: 'publisher', vorbis: 'PUBLISHER' },
  encoded_by: { id3: 'encodedBy', mp4: '\u00a9enc', vorbis: 'ENCODED-BY', riff: 'ITCH' },
  grouping: { id3: 'contentGroup', mp4: '\u00a9grp', vorbis: 'GROUPING' },
  lyrics: { mp4: '\u00a9lyr', vorbis: 'LYRICS' },
  sort_name: { id3: 'TSOT', mp4: 'sonm', vorbis: 'TITLESORT' },
  sort_artist: { id3: 'TSOP', mp4: 'soar', vorbis: 'ARTISTSORT' },
  sort_album: { id3: 'TSOA', mp4: 'soal', vorbis: 'ALBUMSORT' },
  sort_album_artist: { id3: 'TSO2', mp4: 'soaa', vorbis: 'ALBUMARTISTSORT' },
  sort_composer: { id3: 'TSOC', mp4: 'soco', vorbis: 'COMPOSERSORT' },
  performer: { id3: 'conductor' },
  lyricist: { id3: 'textWriter' },
  subtitle: { id3: 'subtitle' },
  // ffprobe reports no `tmpo`, so the tempo is a custom field in MP4.
  bpm: { id3: 'bpm' },
  initialkey: { id3: 'initialKey' },
  isrc: { id3: 'ISRC' },
  compilation: { id3: 'TCMP', mp4: 'cpil', mp4Bytes: 1 },
  show: { mp4: 'tvsh' },
  season_number: { mp4: 'tvsn', mp4Bytes: 4 },
  episode_id: { mp4: 'tven' },
  episode_sort: { mp4: 'tves', mp4Bytes: 4 },
  network: { mp4: 'tvnn' },
};

export const tagNames: ReadonlyMap<string, TagNames> = new Map(Object.entries(rows));

/** Parses `3` or `3/12`; undefined for any other text. */
export function parsePosition(text: string): { number: number; of: number } | undefined {
  const [, number, of] = /^(\d{1,5})(?:\/(\d{1,5}))?$/.exec(text.trim()) ?? [];
  if (number === undefined) return undefined;
  return { number: Math.min(Number(number), 0xffff), of: Math.min(Number(of ?? 0), 0xffff) };
}
