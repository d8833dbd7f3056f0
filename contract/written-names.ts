/** Names of the files that runs write below a prefix; a prefix that holds an input is refused if one of them is its name. */

const chunkNames = String.raw`chunk-\d{5,}\.[a-z0-9]+|chunks\.json`;

export const namesOfChunks = new RegExp(`^(?:${chunkNames})$`);

/** Whether a URL may name a chunk of some run, however it is escaped. */
export function mayNameChunk(url: string): boolean {
  const text = url.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return /chunk-\d{5,}\.[a-z0-9]/.test(text);
}

/** Files of a transcript, by their kinds. */
export const transcriptNames = {
  json: 'transcript.json',
  verbose_json: 'transcript.verbose.json',
  podcast_json: 'transcript.podcast.json',
  vtt: 'transcript.vtt',
  srt: 'transcript.srt',
  ttml: 'transcript.ttml',
  txt: 'transcript.txt',
} as const;

export type TranscriptUrls = Record<keyof typeof transcriptNames, string>;

/** URLs of the files of a transcript. */
export function transcriptUrls(prefix: string): TranscriptUrls {
  const urls = Object.entries(transcriptNames).map(([kind, name]) => [kind, prefix + name]);
  return Object.fromEntries(urls) as TranscriptUrls;
}

const transcriptFiles = Object.values(transcriptNames)
  .join('|')
  .replaceAll('.', String.raw`\.`);

/** `extension` of the encoded file: a part of a pattern. */
export function namesOfProcessing(extension: string): RegExp {
  return new RegExp(String.raw`^(?:${chunkNames}|encoded\.${extension}|${transcriptFiles}|chapters\.json)$`);
}

const stillNames = String.raw`(?:thumbnail|sprite)-\d{3,}\.[a-z0-9]+|storyboard\.(?:vtt|bif)`;
/** `v720`, `a-2` or `s`: pictures, sound or subtitles of a package. */
const partName = String.raw`(?:v\d+|[as])(?:-\d+)?`;
const partNames = String.raw`${partName}(?:\.(?:m3u8|mp4|vtt)|-iframes\.m3u8|/(?:main\.m3u8|iframes\.m3u8|init\.mp4|\d+\.(?:m4s|vtt)))`;
const sheetNames = String.raw`thumbnails(?:\.m3u8|-\d+\.jpg|/(?:main\.m3u8|\d+\.jpg))`;

/** Files of a package, or of thumbnails or a storyboard. */
export const namesOfOutput = new RegExp(
  String.raw`^(?:master\.m3u8|manifest\.mpd|${partNames}|${sheetNames}|${stillNames})$`,
);
