/** Names of one kind of metadata in each format. Without a name, a format stores it as a custom field. */
interface TagNames {
  /** node-id3's name of the ID3v2.3 text frame. */
  id3?: string;
  /** Item type in the iTunes list. */
  mp4?: string;
  /** Field of a Vorbis comment. */
  vorbis?: string;
  /** Chunk of RIFF's INFO list. */
  riff?: string;
}

/**
 * Keyed by ffmpeg's generic names. Kinds with an encoding of their own (dates, numbers, comments) are handled by their
 * writers.
 */
export const tagNames: Readonly<Record<string, TagNames>> = {
  title: { id3: 'title', mp4: '\u00a9nam', vorbis: 'TITLE', riff: 'INAM' },
  artist: { id3: 'artist', mp4: '\u00a9ART', vorbis: 'ARTIST', riff: 'IART' },
  album: { id3: 'album', mp4: '\u00a9alb', vorbis: 'ALBUM', riff: 'IPRD' },
  album_artist: { id3: 'performerInfo', mp4: 'aART', vorbis: 'ALBUMARTIST' },
  composer: { id3: 'composer', mp4: '\u00a9wrt', vorbis: 'COMPOSER', riff: 'IMUS' },
  date: { mp4: '\u00a9day', vorbis: 'DATE', riff: 'ICRD' },
  track: { id3: 'trackNumber', vorbis: 'TRACKNUMBER', riff: 'IPRT' },
  disc: { id3: 'partOfSet', vorbis: 'DISCNUMBER' },
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
};

/** Parses `3` or `3/12`; undefined for any other text. */
export function parsePosition(text: string): { number: number; of: number } | undefined {
  const [, number, of] = /^(\d{1,5})(?:\/(\d{1,5}))?$/.exec(text.trim()) ?? [];
  if (number === undefined) return undefined;
  return { number: Math.min(Number(number), 0xffff), of: Math.min(Number(of ?? 0), 0xffff) };
}
