import { definedFields } from '../../contract/defined-fields.ts';
import type { ContainerWatermark } from '../../contract/http/watermark.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { parseChapters } from './chapter-lines.ts';
import { parseClock } from './clock.ts';
import type { Extras } from './extras.ts';

/** What a person has entered in the form for extras. */
export interface ExtrasDraft {
  /** Typed tags by name; an empty one keeps that of the file. */
  metadata: Readonly<Record<string, string>>;
  chapters: 'keep' | 'none' | 'pauses' | 'list';
  chapterLines: string;
  cover: 'keep' | 'none' | 'file';
  coverFile: File | undefined;
  start: string;
  end: string;
  subtitles: 'drop' | 'keep' | 'burn';
  captionsFile: File | undefined;
  captionsUse: 'add' | 'burn';
  language: string;
  speech: 'none' | 'add' | 'burn';
  spokenLanguage: string;
  watermarkFile: File | undefined;
  place: NonNullable<ContainerWatermark['place']>;
  /** Percent of the picture's width. */
  size: number;
  /** Percent. */
  opacity: number;
  /**
   * Settings of a repeated run that have no fields, as the URL of its cover, or an empty text that removes a tag. Other
   * settings of their kind replace them.
   */
  kept: Extras;
}

export const emptyDraft: ExtrasDraft = {
  metadata: {},
  chapters: 'keep',
  chapterLines: '',
  cover: 'keep',
  coverFile: undefined,
  start: '',
  end: '',
  subtitles: 'drop',
  captionsFile: undefined,
  captionsUse: 'add',
  language: '',
  speech: 'none',
  spokenLanguage: '',
  watermarkFile: undefined,
  place: 'bottom-right',
  size: 15,
  opacity: 100,
  kept: {},
};

/** The draft for several files: without the entries that belong to one, which the form then hides. */
export function draftOfSeveral(draft: ExtrasDraft): ExtrasDraft {
  const metadata = tagsOfSeveral(draft.metadata);
  const { chapters, chapterLines, start, end, captionsFile } = emptyDraft;
  const { cover, watermark, metadata: removed } = draft.kept;
  const kept = definedFields({ cover, watermark, metadata: removed && tagsOfSeveral(removed) });
  return { ...draft, metadata, chapters, chapterLines, start, end, captionsFile, kept };
}

function tagsOfSeveral<Text>(tags: Readonly<Record<string, Text>>): Record<string, Text> {
  return Object.fromEntries(Object.entries(tags).filter(([tag]) => tag !== 'title' && tag !== 'description'));
}

/** Files that must be uploaded before a run can use them. */
export function filesOf({ cover, coverFile, captionsFile, watermarkFile }: ExtrasDraft): File[] {
  return [cover === 'file' ? coverFile : undefined, captionsFile, watermarkFile].filter((file) => file !== undefined);
}

/** Throws an Error with a sentence for a person if an entry is wrong. */
export function extrasOf(draft: ExtrasDraft, urlOf: (file: File) => string): Extras {
  const { metadata, coverFile, watermarkFile, place, size, opacity } = draft;
  const typed = Object.entries(metadata).filter(([, text]) => text.trim() !== '');
  const tags = { ...draft.kept.metadata, ...Object.fromEntries(typed) };
  const cover = draft.cover === 'file' ? coverFile && { url: urlOf(coverFile) } : draft.cover;
  const [chapters, trim] = [chaptersOf(draft), trimOf(draft)];
  const [subtitles, captions] = [subtitlesOf(draft, urlOf), captionsOf(draft)];
  return {
    ...draft.kept,
    ...(Object.keys(tags).length > 0 && { metadata: tags }),
    ...(chapters !== undefined && { chapters }),
    ...(cover !== undefined && cover !== 'keep' && { cover }),
    ...definedFields({ trim, subtitles, captions }),
    ...(watermarkFile !== undefined && {
      watermark: { url: urlOf(watermarkFile), place, size: size / 100, opacity: opacity / 100 },
    }),
  };
}

function chaptersOf({ chapters, chapterLines }: ExtrasDraft): Extras['chapters'] {
  if (chapters === 'keep') return undefined;
  if (chapters === 'none') return 'none';
  if (chapters === 'pauses') return { fromSilence: {} };
  const { chapters: listed, wrong } = parseChapters(chapterLines);
  if (wrong !== undefined) throw new Error(chooserTexts.extras.wrongLine(wrong));
  if (listed.length === 0) throw new Error(chooserTexts.extras.noChapters);
  return listed;
}

function trimOf(draft: ExtrasDraft): Extras['trim'] {
  const [start, end] = [secondsOf(draft.start), secondsOf(draft.end)];
  if (start === undefined && end === undefined) return undefined;
  if (end !== undefined && end <= (start ?? 0)) throw new Error(chooserTexts.extras.wrongTrim);
  return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
}

function secondsOf(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const seconds = parseClock(text);
  if (seconds === undefined) throw new Error(chooserTexts.extras.wrongTime(text));
  return seconds;
}

function subtitlesOf(
  { subtitles, captionsFile, captionsUse, language }: ExtrasDraft,
  urlOf: (file: File) => string,
): Extras['subtitles'] {
  if (captionsFile === undefined) return subtitles === 'drop' ? undefined : subtitles;
  const url = urlOf(captionsFile);
  const isBurned = captionsUse === 'burn';
  if (isBurned && subtitles === 'burn') throw new Error(chooserTexts.extras.twoBurned);
  const tag = language.trim();
  return {
    ...(subtitles === 'keep' && { keep: true }),
    ...(isBurned ? { burn: { url } } : { add: [{ url, ...(tag !== '' && { language: tag }) }] }),
    ...(subtitles === 'burn' && { burn: 'default' }),
  };
}

/** Captions of what is said. */
function captionsOf({ speech, spokenLanguage, subtitles, captionsFile, captionsUse }: ExtrasDraft): Extras['captions'] {
  if (speech === 'none') return undefined;
  if (speech === 'burn') {
    const isBurned = subtitles === 'burn' || (captionsFile !== undefined && captionsUse === 'burn');
    if (isBurned) throw new Error(chooserTexts.extras.burnedBesideSpeech);
    return 'burn';
  }
  const language = spokenLanguage.trim();
  return language === '' ? true : { language };
}
