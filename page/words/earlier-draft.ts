import { isRecord } from '../../contract/unknown-values.ts';
import { emptyDraft, type ExtrasDraft } from './extras-draft.ts';
import type { Extras } from './extras.ts';
import { formatClock } from './format.ts';

/** The form with the settings of an output of an earlier run, in which only one may be changed. */
export function draftOf(output: Record<string, unknown>): ExtrasDraft {
  // The server has checked the input of a run.
  const { metadata, chapters, cover, trim, subtitles, captions, watermark } = output as Extras;
  const isTitled = isRecord(captions) && (captions.title !== undefined || captions.default !== undefined);
  const removed = Object.entries(metadata ?? {}).filter(([, text]) => text === '');
  return {
    ...emptyDraft,
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, text]) => [name, String(text)])),
    ...(cover === 'none' && { cover }),
    ...chaptersOf(chapters),
    start: String(trim?.start ?? ''),
    end: String(trim?.end ?? ''),
    ...((subtitles === 'keep' || subtitles === 'burn') && { subtitles }),
    ...(captions !== undefined && !isTitled && { speech: captions === 'burn' ? 'burn' : 'add' }),
    spokenLanguage: isRecord(captions) && typeof captions.language === 'string' ? captions.language : '',
    kept: {
      ...(removed.length > 0 && { metadata: Object.fromEntries(removed) }),
      ...(chapters !== 'keep' && chapters !== undefined && chaptersOf(chapters).chapters === undefined && { chapters }),
      ...(isRecord(cover) && { cover }),
      ...(isRecord(subtitles) && { subtitles }),
      ...(watermark !== undefined && { watermark }),
      ...(isTitled && { captions }),
    },
  };
}

/** True for chapters after pauses of the default length, which the form has. */
function isOfPauses(chapters: unknown): boolean {
  if (!isRecord(chapters) || !isRecord(chapters['fromSilence'])) return false;
  return Object.keys(chapters['fromSilence']).length === 0;
}

/** Empty for chapters that have no field: those of a file, with links, or after pauses of another length. */
function chaptersOf(chapters: Extras['chapters']): Partial<ExtrasDraft> {
  if (chapters === 'none') return { chapters };
  if (Array.isArray(chapters)) {
    if (chapters.some(({ url }) => url !== undefined)) return {};
    const lines = chapters.map(({ start, title }) =>
      `${Number.isInteger(start) ? formatClock(start) : start} ${title ?? ''}`.trim(),
    );
    return { chapters: 'list', chapterLines: lines.join('\n') };
  }
  return isOfPauses(chapters) ? { chapters: 'pauses' } : {};
}
