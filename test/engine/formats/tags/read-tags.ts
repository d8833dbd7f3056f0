import { parseFile, type IAudioMetadata } from 'music-metadata';
import { probe } from '../../../support/media-files.ts';

/** Tags that a reader without ffmpeg finds in a file. */
export interface ReadTags {
  title: string | undefined;
  artist: string | undefined;
  album: string | undefined;
  genre: string | undefined;
  date: string | undefined;
  track: { no: number | null; of: number | null };
  comments: (string | undefined)[];
  picture: { mimeType: string; bytes: Buffer } | undefined;
  /** Texts by the format's own names. */
  native: ReadonlyMap<string, string>;
  chapters: ReadChapter[];
}

export interface ReadChapter {
  /** Seconds. */
  start: number;
  title: string;
}

/** ID3 stores the day in a separate frame. */
function dateOf({ common, native }: IAudioMetadata): string | undefined {
  const frames = native['ID3v2.3'] ?? [];
  const valueOf = (id: string): string | undefined => frames.find((tag) => tag.id === id)?.value as string | undefined;
  const [, day, month] = /^(\d{2})(\d{2})$/.exec(valueOf('TDAT') ?? '') ?? [];
  return common.date ?? (day === undefined ? valueOf('TYER') : `${valueOf('TYER')}-${month}-${day}`);
}

function nativeTexts({ native }: IAudioMetadata): Map<string, string> {
  const texts = Object.values(native)
    .flat()
    .map(
      ({ id, value }) =>
        [id, typeof value === 'object' && value !== null && 'text' in value ? value.text : value] as const,
    );
  return new Map(texts.filter(([, value]) => typeof value === 'string').map(([id, value]) => [id, String(value)]));
}

function chaptersOf(read: IAudioMetadata, native: ReadonlyMap<string, string>): ReadChapter[] {
  const listed = read.format.chapters ?? [];
  if (listed.length > 0) {
    return listed.map(({ start, timeScale = 1, title }) => ({ start: start / timeScale, title }));
  }
  // Vorbis comments, which the reader does not interpret.
  return [...native].flatMap(([name, text]) => {
    if (!/^CHAPTER\d{3}$/.test(name)) return [];
    const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
    return [{ start: hours * 3600 + minutes * 60 + seconds, title: native.get(`${name}NAME`) ?? '' }];
  });
}

export async function readTags(path: string): Promise<ReadTags> {
  const read = await parseFile(path, { includeChapters: true });
  const { title, artist, album, genre, track, comment, picture } = read.common;
  const native = nativeTexts(read);
  return {
    ...{ title, artist, album, track, genre: genre?.join(', '), date: dateOf(read) },
    comments: comment?.map(({ text }) => text) ?? [],
    picture: picture?.[0] && { mimeType: picture[0].format, bytes: Buffer.from(picture[0].data) },
    native,
    chapters: chaptersOf(read, native),
  };
}

/** Chapters according to ffprobe. */
export async function probeChapters(path: string): Promise<ReadChapter[]> {
  const { chapters } = (await probe(path, '-show_chapters')) as {
    chapters: { start_time: string; tags?: { title?: string } }[];
  };
  return chapters.map(({ start_time, tags }) => ({ start: Number(start_time), title: tags?.title ?? '' }));
}
