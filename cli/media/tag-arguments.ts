import { extname } from 'node:path';
import type { TagOptions } from '../../contract/http/tags.ts';
import { parseSource } from './named-source.ts';

/** Tags that have an option of their own. */
export const metadataOptions = {
  title: 'title',
  artist: 'artist, such as the hosts of a podcast',
  album: 'album, such as the name of the podcast',
  date: 'date, such as 2026-11-22',
  genre: 'genre, such as Podcast',
  comment: 'comment, which many players show',
  description: 'description of the content',
} as const;

/** Value of `--chapters` that finds chapters by pauses. */
export const fromSilenceWord = 'from-silence';

export interface TagArguments extends Partial<Record<keyof typeof metadataOptions, string>> {
  metadata?: Record<string, string>;
  chapters?: string;
  /** Seconds. */
  chapterMinPause?: number;
  chapterMinLength?: number;
  silenceThreshold?: number;
  cover?: string;
}

/** A local file that the container reads in addition to the source. */
export interface CompanionFile {
  path: string;
  /** Name in the run's staging folder. */
  name: string;
}

/** Tags of all outputs, and the local files that they need. */
export interface DescribedTags {
  files: CompanionFile[];
  /** Fields of an output; `urlOf` gives the URLs of the files. */
  fieldsAt(urlOf: (name: string) => string): TagOptions;
}

type LinkChoice = 'keep' | 'none' | { url: string } | CompanionFile | undefined;

function parseLink(text: string | undefined, name: string, userFolder: string): LinkChoice {
  if (text === undefined || text === 'keep' || text === 'none') return text;
  const named = parseSource(text, userFolder);
  return named.kind === 'url' ? { url: named.url } : { path: named.path, name: `${name}${extname(named.path)}` };
}

function parseChapters(options: TagArguments, userFolder: string) {
  const { chapters, chapterMinPause: minPause, chapterMinLength: minChapter, silenceThreshold: threshold } = options;
  if (chapters !== fromSilenceWord) return parseLink(chapters, 'chapters', userFolder);
  return { fromSilence: { minPause, minChapter, threshold } };
}

function isFile(choice: LinkChoice | object): choice is CompanionFile {
  return typeof choice === 'object' && 'path' in choice;
}

/** Error message for a silence option that would have no effect. */
export function findUnusedOption(
  options: TagArguments & { trimSilence: boolean; shortenSilence?: number },
): string | undefined {
  const { chapters, chapterMinPause, chapterMinLength, silenceThreshold, trimSilence, shortenSilence } = options;
  if (chapters === fromSilenceWord) return undefined;
  if (chapterMinPause !== undefined)
    return `option '--chapter-min-pause <seconds>' needs --chapters ${fromSilenceWord}`;
  if (chapterMinLength !== undefined) {
    return `option '--chapter-min-length <seconds>' needs --chapters ${fromSilenceWord}`;
  }
  if (silenceThreshold === undefined || trimSilence || shortenSilence !== undefined) return undefined;
  return `option '--silence-threshold <dBFS>' needs --trim-silence, --shorten-silence or --chapters ${fromSilenceWord}`;
}

export function describeTags(options: TagArguments, userFolder: string): DescribedTags {
  const chapters = parseChapters(options, userFolder);
  const cover = parseLink(options.cover, 'cover', userFolder);
  const named = Object.keys(metadataOptions).map((name) => [name, options[name as keyof typeof metadataOptions]]);
  const metadata: Record<string, string> = {
    ...Object.fromEntries(named.filter(([, text]) => text !== undefined)),
    ...options.metadata,
  };
  return {
    files: [chapters, cover].filter(isFile),
    fieldsAt: (urlOf) => ({
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(chapters !== undefined && { chapters: isFile(chapters) ? { url: urlOf(chapters.name) } : chapters }),
      ...(cover !== undefined && { cover: isFile(cover) ? { url: urlOf(cover.name) } : cover }),
    }),
  };
}
