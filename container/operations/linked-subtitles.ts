import { join } from 'node:path';
import type { FileSettings } from '../../contract/file-settings.ts';
import { type SubtitleLink, subtitleLinks } from '../../contract/subtitle-settings.ts';
import type { RunLimits } from '../../engine/ffmpeg/limits.ts';
import { findUndrawn } from '../../engine/subtitles/find-undrawn.ts';
import { maxTextBytes } from '../../engine/subtitles/read-texts.ts';
import type { SubtitleOfLink } from '../../engine/subtitles/subtitle-source.ts';
import { openSubtitleFile } from '../../engine/subtitles/subtitle-file.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { fetchLink, linkKey } from './fetch-link.ts';
import type { SubtitleText } from '../../engine/source/subtitle-track.ts';

const keyOf = (link: SubtitleLink): string => `${link.encoding} ${linkKey(link)}`;

/** Fetches each subtitle file once, before the source: an unusable file then costs no download of the source. */
export async function fetchSubtitles(
  outputs: readonly FileSettings[],
  transfer: MediaTransfer,
  limits: RunLimits,
  job: JobContext,
): Promise<SubtitleOfLink> {
  const burnt = new Set(
    outputs.flatMap(({ subtitles: { burn } = {} }) => (burn && 'link' in burn ? [keyOf(burn.link)] : [])),
  );
  const isBurnt = (link: SubtitleLink): boolean => burnt.has(keyOf(link));
  const texts = new Map<string, SubtitleText>();
  for (const link of outputs.flatMap(({ subtitles }) => (subtitles === undefined ? [] : subtitleLinks(subtitles)))) {
    if (texts.has(keyOf(link))) continue;
    const path = join(job.fetchedFolder, `subtitles-${texts.size}`);
    await fetchLink(link, 'subtitles', maxTextBytes, path, transfer, job);
    const text = await openSubtitleFile(path, link.encoding, { limits, job });
    if (isBurnt(link)) text.undrawn = await findUndrawn(text, path, { limits, job });
    texts.set(keyOf(link), text);
  }
  return (link) => {
    const text = texts.get(keyOf(link));
    if (text === undefined) throw new Error('a link that was not fetched');
    return text;
  };
}
