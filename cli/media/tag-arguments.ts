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

/** As they are typed. */
export interface TagArguments extends Partial<Record<keyof typeof metadataOptions, string>> {
  metadata?: Record<string, string>;
  chapters?: string;
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

type Choice = 'keep' | 'none' | { url: string } | CompanionFile | undefined;

function parseChoice(text: string | undefined, name: string, userFolder: string): Choice {
  if (text === undefined || text === 'keep' || text === 'none') return text;
  const named = parseSource(text, userFolder);
  return named.kind === 'url' ? { url: named.url } : { path: named.path, name: `${name}${extname(named.path)}` };
}

export function describeTags(options: TagArguments, userFolder: string): DescribedTags {
  const chapters = parseChoice(options.chapters, 'chapters', userFolder);
  const cover = parseChoice(options.cover, 'cover', userFolder);
  const named = Object.keys(metadataOptions).map((name) => [name, options[name as keyof typeof metadataOptions]]);
  const metadata: Record<string, string> = {
    ...Object.fromEntries(named.filter(([, text]) => text !== undefined)),
    ...options.metadata,
  };
  const linkTo = (choice: Choice, urlOf: (name: string) => string): Exclude<Choice, CompanionFile> =>
    typeof choice === 'object' && 'path' in choice ? { url: urlOf(choice.name) } : choice;
  return {
    files: [chapters, cover].filter((choice) => typeof choice === 'object' && 'path' in choice),
    fieldsAt: (urlOf) => ({
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(chapters !== undefined && { chapters: linkTo(chapters, urlOf) }),
      ...(cover !== undefined && { cover: linkTo(cover, urlOf) }),
    }),
  };
}
