import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileSettings } from '../../contract/file-settings.ts';
import type { ContainerLink, TagOptions } from '../../contract/http/tags.ts';
import { badChapters, parsePodcastChapters } from '../../engine/tags/chapters.ts';
import { maxCoverBytes, prepareCover } from '../../engine/tags/cover.ts';
import type { LinkedTags } from '../../engine/tags/output-tags.ts';
import type { RunLimits } from '../../engine/ffmpeg/limits.ts';
import type { Picture } from '../../engine/formats/tags/file-tags.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { fetchLink, linkKey } from './fetch-link.ts';
import type { PlacedChapter } from '../../engine/source/source-tags.ts';

/** Large enough for 1000 chapters with long titles and URLs. */
const maxChapterBytes = 4 * 1024 ** 2;

type Choice = TagOptions['chapters'] | TagOptions['cover'];

function linksOf(choices: readonly Choice[]): Map<string, ContainerLink> {
  const links = choices.filter((choice) => typeof choice === 'object' && 'url' in choice);
  return new Map(links.map((link) => [linkKey(link), link]));
}

/**
 * Fetches each chapter file and cover once, before the source: an unusable file then costs no download of the source.
 */
export async function fetchLinkedTags(
  outputs: readonly FileSettings[],
  transfer: MediaTransfer,
  limits: RunLimits,
  job: JobContext,
): Promise<LinkedTags> {
  const chapters = new Map<string, readonly PlacedChapter[]>();
  for (const [key, link] of linksOf(outputs.map(({ tags }) => tags.chapters))) {
    const path = await fetchLink(
      link,
      'chapters',
      maxChapterBytes,
      join(job.fetchedFolder, 'chapters.json'),
      transfer,
      job,
    );
    chapters.set(key, await readChapters(path));
  }
  const covers = new Map<string, Picture>();
  for (const [key, link] of linksOf(outputs.map(({ tags }) => tags.cover))) {
    const path = await fetchLink(
      link,
      'cover',
      maxCoverBytes,
      join(job.fetchedFolder, `cover-${covers.size}`),
      transfer,
      job,
    );
    covers.set(key, await prepareCover(path, 'delivery', { limits, ...job }));
  }
  const found = <Value>(values: ReadonlyMap<string, Value>, link: ContainerLink): Value => {
    const value = values.get(linkKey(link));
    if (value === undefined) throw new Error('a link that was not fetched');
    return value;
  };
  return { chapters: (link) => found(chapters, link), cover: (link) => found(covers, link) };
}

async function readChapters(path: string): Promise<PlacedChapter[]> {
  if ((await stat(path)).size === 0) throw badChapters('the file is empty');
  return parsePodcastChapters(await readFile(path, 'utf8'));
}
