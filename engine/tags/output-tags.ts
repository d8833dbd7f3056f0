import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { containers, type ContainerName } from '../../contract/formats.ts';
import type { ContainerLink, TagOptions } from '../../contract/http/tags.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import type { FileTags, Picture } from '../formats/tags/file-tags.ts';
import { tagKey } from '../source/tag-key.ts';
import { readPictureBlock } from '../formats/vorbis/comments.ts';
import type { Work } from '../work.ts';
import { errorFacts } from '../../tracing/error-facts.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { placeAfterCut, type SourceCut } from '../plan/cut-plan.ts';
import type { AudioPlan } from '../plan/audio-plan.ts';
import type { OutputPlan } from '../plan/planned-output.ts';
import type { Source } from '../source/source.ts';
import { type ChapterWindow, checkChaptersWithin, settleChapters } from './chapters.ts';
import { cleanLine, cleanValue } from '../source/clean-text.ts';
import { prepareCover, type CoverRule } from './cover.ts';
import { chaptersFromSilence } from './silence-chapters.ts';
import type { PlacedChapter, SourceTags } from '../source/source-tags.ts';

/** Tags planned for an output. */
export interface TagPlan {
  metadata: ReadonlyMap<string, string>;
  /** In source time. */
  chapters: readonly PlacedChapter[];
  cover: Picture | undefined;
  /** The request listed the chapters, and each must be audible. */
  areChaptersOwn: boolean;
  /** The chapters are at the source's pauses. */
  areChaptersFound: boolean;
}

/** Content that the request's links led to. */
export interface LinkedTags {
  chapters(link: ContainerLink): readonly PlacedChapter[];
  cover(link: ContainerLink): Picture;
}

/** Pictures of the source by rule. Each is made on first use. */
export type SourceCovers = (rule: CoverRule) => Promise<Picture | undefined>;

function mergeMetadata(options: TagOptions, source: SourceTags): ReadonlyMap<string, string> {
  const metadata = new Map(source.metadata);
  for (const [name, value] of Object.entries(options.metadata ?? {})) {
    const key = tagKey(name);
    const text = cleanValue(key, String(value));
    if (text === '') metadata.delete(key);
    else metadata.set(key, text);
  }
  return metadata;
}

function chooseChapters(
  choice: TagOptions['chapters'],
  { tags, tracks }: Pick<Source, 'tags' | 'tracks'>,
  audio: AudioPlan | undefined,
  linked: LinkedTags,
): readonly PlacedChapter[] {
  if (choice === 'none') return [];
  if (choice === undefined || choice === 'keep') return tags.chapters;
  if ('url' in choice) return linked.chapters(choice);
  if ('fromSilence' in choice) {
    const track = tracks.find((one) => one.track === audio?.track);
    return track === undefined ? [] : chaptersFromSilence(choice.fromSilence, track, audio?.cut);
  }
  return choice.map(({ start, title, url }, index) => ({
    startSeconds: start,
    title: cleanLine(title) || `Chapter ${index + 1}`,
    url,
  }));
}

async function chooseCover(
  choice: TagOptions['cover'],
  source: SourceCovers,
  linked: LinkedTags,
): Promise<Picture | undefined> {
  if (choice === 'none') return undefined;
  if (choice === undefined) return await source('kept');
  return choice === 'keep' ? await source('delivery') : linked.cover(choice);
}

/** Seconds of the source's sound and pictures that an output has without its cut; Infinity if unknown. */
function knownSeconds(
  { tracks, pictures }: Pick<Source, 'tracks' | 'pictures'>,
  { audio, video }: Pick<OutputPlan, 'audio' | 'video'>,
): number {
  const { leadSeconds = 0, declaredSeconds = Infinity } = tracks.find(({ track }) => track === audio?.track) ?? {};
  const ofSound = audio === undefined ? 0 : declaredSeconds - leadSeconds + audio.sourceTime.leadSeconds;
  if (video === undefined || pictures === undefined) return ofSound;
  return Math.max(ofSound, pictures.endTicks * valueOf(pictures.timeBase) - pictures.filmStart);
}

/** Plans the requested tags and, for the rest, those of the source. */
export async function planTags(
  options: TagOptions,
  source: Pick<Source, 'tags' | 'tracks' | 'pictures'>,
  planned: Pick<OutputPlan, 'audio' | 'video'>,
  covers: SourceCovers,
  linked: LinkedTags,
): Promise<TagPlan> {
  const chapters = chooseChapters(options.chapters, source, planned.audio, linked);
  const areChaptersFound = typeof options.chapters === 'object' && 'fromSilence' in options.chapters;
  const areChaptersOwn = typeof options.chapters === 'object' && !areChaptersFound;
  if (areChaptersOwn) checkChaptersWithin(chapters, knownSeconds(source, planned));
  return {
    metadata: mergeMetadata(options, source.tags),
    chapters,
    areChaptersOwn,
    areChaptersFound,
    cover: await chooseCover(options.cover, covers, linked),
  };
}

/** Tags of an output that contains part of the source. Chapters move accordingly. */
export function cutTags(tags: TagPlan, cut: SourceCut): TagPlan {
  if (tags.areChaptersOwn) checkChaptersWithin(tags.chapters, cut.sourceSamples / cut.sampleRate);
  const chapters = tags.chapters.flatMap((chapter) => {
    const startSeconds = placeAfterCut(cut, chapter.startSeconds);
    return startSeconds === undefined ? [] : [{ ...chapter, startSeconds }];
  });
  return { ...tags, chapters, areChaptersOwn: false };
}

/** Tags of a file with this part of the source; undefined if there are none or the container cannot hold them. */
export function settleTags(
  { metadata, chapters, areChaptersOwn, cover }: TagPlan,
  container: ContainerName,
  window: ChapterWindow,
): FileTags | undefined {
  if (containers[container].tags !== 'all') return undefined;
  if (areChaptersOwn) checkChaptersWithin(chapters, window.to);
  const settled = settleChapters(chapters, window);
  if (metadata.size === 0 && settled.length === 0 && cover === undefined) return undefined;
  return { metadata, chapters: settled, cover };
}

/** A source's own picture is no reason to fail: an unreadable one is left out. */
export function sourceCovers(
  path: string,
  picture: SourceTags['picture'],
  limits: RunLimits,
  job: Pick<Work, 'folder' | 'signal' | 'log'>,
): SourceCovers {
  const made = new Map<CoverRule, Promise<Picture | undefined>>();
  const make = async (rule: CoverRule): Promise<Picture | undefined> => {
    if (picture === undefined) return undefined;
    const file = join(job.folder, `source-cover-${rule}`);
    try {
      if (picture.kind === 'stream') await copyStream(path, picture.index, file, limits, job.signal);
      else await writeFile(file, readPictureBlock(Buffer.from(picture.base64, 'base64')) ?? '');
      return await prepareCover(file, rule, { limits, ...job });
    } catch (error) {
      job.signal.throwIfAborted();
      job.log.warn(errorFacts(error), 'The cover of the source cannot be read and is left out');
      return undefined;
    } finally {
      await rm(file, { force: true });
    }
  };
  return async (rule) => {
    const begun = made.get(rule) ?? make(rule);
    made.set(rule, begun);
    return await begun;
  };
}

async function copyStream(input: string, index: number, path: string, limits: RunLimits, signal: AbortSignal) {
  const options = ['-map', `0:${index}`, '-c:v', 'copy', '-frames:v', '1', '-f', 'image2pipe'];
  await runFfmpeg({
    input,
    inputOptions: decodeGuards,
    outputs: [{ path, options }],
    limits,
    signal,
  });
}
