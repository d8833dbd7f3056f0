import { isRecord } from '../../contract/unknown-values.ts';
import { emptyDraft, type ExtrasDraft } from './extras-draft.ts';
import type { Extras } from './extras.ts';
import { formatClock } from './format.ts';

/** The form with the settings of an output of an earlier run, in which only one may be changed. */
export function draftOf(output: Record<string, unknown>): ExtrasDraft {
  // The server has checked the input of a run.
  const { metadata, chapters, cover, trim, subtitles, captions, watermark } = output as Extras;
  return {
    ...emptyDraft,
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, text]) => [name, String(text)])),
    ...(cover === 'none' && { cover }),
    ...chaptersOf(chapters),
    start: String(trim?.start ?? ''),
    end: String(trim?.end ?? ''),
    ...((subtitles === 'keep' || subtitles === 'burn') && { subtitles }),
    ...(captions !== undefined && { speech: captions === 'burn' ? 'burn' : 'add' }),
    spokenLanguage: isRecord(captions) && typeof captions.language === 'string' ? captions.language : '',
    kept: {
      ...(isRecord(cover) && { cover }),
      ...(isRecord(subtitles) && { subtitles }),
      ...(watermark !== undefined && { watermark }),
    },
  };
}

function chaptersOf(chapters: Extras['chapters']): Partial<ExtrasDraft> {
  if (chapters === 'none') return { chapters };
  if (Array.isArray(chapters)) {
    const lines = chapters.map(({ start, title }) =>
      `${Number.isInteger(start) ? formatClock(start) : start} ${title ?? ''}`.trim(),
    );
    return { chapters: 'list', chapterLines: lines.join('\n') };
  }
  return isRecord(chapters) && 'fromSilence' in chapters ? { chapters: 'pauses' } : {};
}
