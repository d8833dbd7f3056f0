import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerLink, TagOptions } from '../../contract/http/tags.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import type { FileSettings } from '../../contract/file-settings.ts';
import { badChapters, parsePodcastChapters } from '../../engine/tags/chapters.ts';
import { maxCoverBytes, prepareCover } from '../../engine/tags/cover.ts';
import type { LinkedTags } from '../../engine/tags/output-tags.ts';
import type { RunLimits } from '../../engine/ffmpeg/limits.ts';
import type { Picture } from '../../engine/formats/tags/file-tags.ts';
import type { PlacedChapter } from '../../engine/source/source-tags.ts';
import { type SubtitleLink, subtitleLinks } from '../../contract/subtitle-settings.ts';
import { findUndrawn } from '../../engine/subtitles/find-undrawn.ts';
import { maxTextBytes } from '../../engine/subtitles/read-texts.ts';
import type { SubtitleOfLink } from '../../engine/subtitles/subtitle-source.ts';
import { openSubtitleFile } from '../../engine/subtitles/subtitle-file.ts';
import type { SubtitleText } from '../../engine/source/subtitle-track.ts';
import { maxWatermarkBytes, openWatermark } from '../../engine/pictures/watermark-image.ts';
import type { WatermarkImage } from '../../engine/plan/video-plan.ts';
import type { EncryptionSettings } from '../../contract/encryption-settings.ts';

/** Key of a link; links with the same URL and headers share one download. */
function linkKey({ url, headers }: ContainerLink): string {
  return JSON.stringify([url, headers]);
}

/** A file that a link names, which was fetched before the source. */
function fetched<Value>(files: ReadonlyMap<string, Value>, key: string): Value {
  const file = files.get(key);
  if (file === undefined) throw new Error('a link that was not fetched');
  return file;
}

/** Downloads a linked file to `path`. Errors name the field of the output. */
async function fetchLink(
  { url, headers }: ContainerLink,
  field: 'chapters' | 'cover' | 'watermark' | 'subtitles' | 'encryption',
  maxBytes: number,
  path: string,
  transfer: MediaTransfer,
  { signal, advance }: JobContext,
): Promise<void> {
  const name = `The ${field === 'encryption' ? 'key of the encryption' : field}`;
  // The phase `download` reports the source's progress only.
  const progress = { signal, advance: () => advance('download', 0) };
  await namingFile(name, { field }, () => transfer.download({ sourceUrl: url, headers, maxBytes }, path, progress));
}

/** Downloads a file that is not the source. The transfer calls every file "the source" in its errors. */
export async function namingFile<Result>(
  name: string,
  details: object,
  download: () => Promise<Result>,
): Promise<Result> {
  try {
    return await download();
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    const reason = error.message.replace(/^The source\b/, 'The file');
    const message = `${name} could not be fetched. ${reason}`;
    throw new MediaError(error.code, message, { details: { ...error.details, ...details }, cause: error });
  }
}

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
    const path = join(job.fetchedFolder, `chapters-${chapters.size}`);
    await fetchLink(link, 'chapters', maxChapterBytes, path, transfer, job);
    chapters.set(key, await readChapters(path));
  }
  const covers = new Map<string, Picture>();
  for (const [key, link] of linksOf(outputs.map(({ tags }) => tags.cover))) {
    const path = join(job.fetchedFolder, `cover-${covers.size}`);
    await fetchLink(link, 'cover', maxCoverBytes, path, transfer, job);
    covers.set(key, await prepareCover(path, 'delivery', { limits, ...job }));
  }
  return { chapters: (link) => fetched(chapters, linkKey(link)), cover: (link) => fetched(covers, linkKey(link)) };
}

async function readChapters(path: string): Promise<PlacedChapter[]> {
  if ((await stat(path)).size === 0) throw badChapters('the file is empty');
  return parsePodcastChapters(await readFile(path, 'utf8'));
}

const keyOfSubtitles = (link: SubtitleLink): string => `${link.encoding} ${linkKey(link)}`;

/** Fetches each subtitle file once, before the source: an unusable file then costs no download of the source. */
export async function fetchSubtitles(
  outputs: readonly FileSettings[],
  transfer: MediaTransfer,
  limits: RunLimits,
  job: JobContext,
): Promise<SubtitleOfLink> {
  const burnt = new Set(
    outputs.flatMap(({ subtitles: { burn } = {} }) => (burn && 'link' in burn ? [keyOfSubtitles(burn.link)] : [])),
  );
  const isBurnt = (link: SubtitleLink): boolean => burnt.has(keyOfSubtitles(link));
  const texts = new Map<string, SubtitleText>();
  for (const link of outputs.flatMap(({ subtitles }) => (subtitles === undefined ? [] : subtitleLinks(subtitles)))) {
    if (texts.has(keyOfSubtitles(link))) continue;
    const path = join(job.fetchedFolder, `subtitles-${texts.size}`);
    await fetchLink(link, 'subtitles', maxTextBytes, path, transfer, job);
    const text = await openSubtitleFile(path, link.encoding, { limits, job });
    if (isBurnt(link)) text.undrawn = await findUndrawn(text, path, { limits, job });
    texts.set(keyOfSubtitles(link), text);
  }
  return (link) => fetched(texts, keyOfSubtitles(link));
}

/** Fetches each watermark once, before the source: an unusable one then costs no download of the source. */
export async function fetchWatermarks(
  outputs: readonly FileSettings[],
  transfer: MediaTransfer,
  limits: RunLimits,
  job: JobContext,
): Promise<(output: FileSettings) => WatermarkImage | undefined> {
  const images = new Map<string, WatermarkImage>();
  for (const { watermark } of outputs) {
    if (watermark === undefined || images.has(linkKey(watermark.link))) continue;
    const path = join(job.fetchedFolder, `watermark-${images.size}`);
    await fetchLink(watermark.link, 'watermark', maxWatermarkBytes, path, transfer, job);
    images.set(linkKey(watermark.link), await openWatermark(path, { limits, signal: job.signal }));
  }
  return ({ watermark }) => watermark && images.get(linkKey(watermark.link));
}

/** Length of an AES-128 key. */
const keyBytes = 16;

/** Fetches each key file once, before the source. No key stays in the job's folder. */
export async function fetchKeys(
  encryptions: readonly EncryptionSettings[],
  transfer: MediaTransfer,
  job: JobContext,
): Promise<(key: EncryptionSettings['key']) => Buffer> {
  const keys = new Map<string, Buffer>();
  for (const { key } of encryptions) {
    if (typeof key !== 'object' || keys.has(linkKey(key))) continue;
    const path = join(job.fetchedFolder, 'key');
    try {
      await fetchLink(key, 'encryption', keyBytes, path, transfer, job);
      keys.set(linkKey(key), readKey(await readFile(path)));
    } finally {
      await rm(path, { force: true });
    }
  }
  const keyOf = (key: EncryptionSettings['key']): Buffer =>
    typeof key === 'string' ? Buffer.from(key, 'hex') : fetched(keys, linkKey(key));
  for (const encryption of encryptions) checkSecret(encryption, keyOf(encryption.key));
  return keyOf;
}

function readKey(bytes: Buffer): Buffer {
  if (bytes.length === keyBytes) return bytes;
  const message = `The key of the encryption cannot be used: its file has ${bytes.length} bytes, and a key has ${keyBytes}.`;
  throw new MediaError('invalid_request', message, { details: { field: 'encryption' } });
}

/** These fields are public in playlists, manifests and media, so they must not contain the key. */
function checkSecret({ keyId, keyUri, licenseUrl }: EncryptionSettings, key: Buffer): void {
  const hex = key.toString('hex');
  const revealing = Object.entries({ keyId, keyUri, licenseUrl }).find(([, text]) => text?.toLowerCase().includes(hex));
  if (revealing === undefined) return;
  const message = `The key of the encryption cannot be used: it is part of ${revealing[0]}, which everybody can read.`;
  throw new MediaError('invalid_request', message, { details: { field: 'encryption' } });
}
