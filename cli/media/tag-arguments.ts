import { extname } from 'node:path';
import type { TagOptions } from '../../contract/http/tags.ts';
import { parseSource } from './named-source.ts';

/** What can be said by an option of its own. */
export const metadataOptions = {
  title: 'title',
  artist: 'who made it, such as the hosts of a podcast',
  album: 'what it is part of, such as the podcast',
  date: 'such as 2026-11-22',
  genre: 'such as Podcast',
  comment: 'what players show beside it',
  description: 'what it is about',
} as const;

/** What `--chapters` says in place of a file's name. */
export const fromSilenceWord = 'from-silence';

/** As they are typed. */
export interface TagArguments extends Partial<Record<keyof typeof metadataOptions, string>> {
  metadata?: Record<string, string>;
  chapters?: string;
  /** seconds, of chapters from silence */
  chapterMinPause?: number;
  chapterMinLength?: number;
  /** dBFS */
  silenceThreshold?: number;
  cover?: string;
}

/** A file of this machine that the container reads beside the source. */
export interface CompanionFile {
  path: string;
  /** in the run's staging folder */
  name: string;
}

/** What the options say of the tags of all outputs of a command. */
export interface DescribedTags {
  files: CompanionFile[];
  /** Of an output, where the files are at these URLs. */
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

/** Why an option about silence would do nothing; undefined where all have their use. */
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
