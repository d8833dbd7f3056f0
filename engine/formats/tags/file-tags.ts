/** What a file says of itself beside its sound, in terms that no file format knows. */
export interface FileTags {
  /** By ffmpeg's generic names in lower case (`title`, `album_artist`), others as somebody chose them. */
  metadata: ReadonlyMap<string, string>;
  /** in the order of their starts, no two at the same, all before the file's end */
  chapters: readonly TaggedChapter[];
  cover: Picture | undefined;
}

export interface TaggedChapter {
  startMs: number;
  endMs: number;
  title: string;
  url: string | undefined;
}

export interface Picture {
  mimeType: 'image/jpeg' | 'image/png';
  width: number;
  height: number;
  bytes: Buffer;
}

/** The first `maxBytes` bytes of a text in UTF-8, and no half character. */
export function utf8Within(text: string, maxBytes: number): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes;
  // Bytes that continue a character are 10xxxxxx.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
