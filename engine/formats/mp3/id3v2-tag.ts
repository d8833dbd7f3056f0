import nodeId3, { type Tags } from 'node-id3';
import type { FileTags, TaggedChapter } from '../tags/file-tags.ts';
import { tagNames } from '../tags/tag-names.ts';

/** CTOC counts its entries with one byte (ID3v2 Chapter Frame Addendum, 3.2). */
const maxEntries = 255;

/** Comments and lyrics require a language (ISO 639-2). Players look for this one, whatever the text's language is. */
const textLanguage = 'eng';

/** Metadata that is not stored in plain text frames. */
const specialNames = new Set(['date', 'comment', 'lyrics', 'url']);

/** Builds an ID3v2.3 tag, because old players misread 2.4. Texts are UTF-16, the only Unicode encoding of 2.3. */
export function buildId3v2Tag({ metadata, chapters, cover }: FileTags): Buffer {
  const description = metadata.get('description');
  const texts = [...metadata].filter(([name]) => !specialNames.has(name));
  const tags: Tags = {
    ...Object.fromEntries(
      texts.map(([name, text]) => [tagNames.get(name)?.id3, text]).filter(([frame]) => frame !== undefined),
    ),
    ...dateFrames(metadata.get('date')),
    userDefinedText: texts
      .filter(([name]) => tagNames.get(name)?.id3 === undefined)
      .map(([name, value]) => ({ description: name, value })),
  };
  // The comment is the only text that some players show.
  const comment = metadata.get('comment') ?? description;
  if (comment !== undefined) tags.comment = { language: textLanguage, text: comment };
  const lyrics = metadata.get('lyrics');
  if (lyrics !== undefined) tags.unsynchronisedLyrics = { language: textLanguage, text: lyrics };
  const url = metadata.get('url');
  if (url !== undefined) tags.userDefinedUrl = [{ description: '', url }];
  if (chapters.length > 0) Object.assign(tags, chapterFrames(chapters));
  if (cover !== undefined) {
    const type = { id: nodeId3.TagConstants.AttachedPicture.PictureType.FRONT_COVER };
    tags.image = { mime: cover.mimeType, type, description: '', imageBuffer: cover.bytes };
  }
  return nodeId3.create(tags);
}

/** TYER holds the year, TDAT day and month (ID3v2.3.0, 4.2.1). */
function dateFrames(date: string | undefined): Tags {
  const [, year, month, day] = /^(\d{4})(?:-(\d{2})-(\d{2}))?/.exec(date ?? '') ?? [];
  return { ...(year && { year }), ...(month && day && { date: `${day}${month}` }) };
}

function chapterFrames(chapters: readonly TaggedChapter[]): Pick<Tags, 'chapter' | 'tableOfContents'> {
  const elementIds = chapters.map((_, index) => `chapter${index}`);
  return {
    chapter: chapters.map(({ startMs, endMs, title, url }, index) => ({
      elementID: elementIds[index] ?? '',
      startTimeMs: startMs,
      endTimeMs: endMs,
      tags: { title, ...(url !== undefined && { userDefinedUrl: [{ description: 'chapter url', url }] }) },
    })),
    tableOfContents: tableOfContents(elementIds),
  };
}

/** Larger tables are left out. Readers then order chapters by time, and some find nothing in nested tables. */
function tableOfContents(elementIds: readonly string[]): NonNullable<Tags['tableOfContents']> {
  if (elementIds.length > maxEntries) return [];
  return [{ elementID: 'contents', isOrdered: true, elements: [...elementIds] }];
}
