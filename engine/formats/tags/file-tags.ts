/** Metadata of a file in terms that do not depend on its format. */
export interface FileTags {
  /** Keys are ffmpeg's generic names in lower case (`title`, `album_artist`) or custom names. */
  metadata: ReadonlyMap<string, string>;
  /** Ordered by start. No two chapters start together, and all start before the file's end. */
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

/** Encodes the text in UTF-8 and truncates it to `maxBytes` without splitting a character. */
export function utf8Within(text: string, maxBytes: number): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes;
  // Continuation bytes are 10xxxxxx.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
