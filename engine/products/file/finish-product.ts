import { stat } from 'node:fs/promises';
import { containerFacts } from '../../../contract/formats.ts';
import type { EncodedOutput } from '../../../contract/http/output.ts';
import { roundToMilliseconds } from '../../../contract/milliseconds.ts';
import { tagFile } from '../../formats/tags/tag-file.ts';
import { chapterCut } from '../../pictures/film-cut.ts';
import { describeSubtitlePlan } from '../../subtitles/plan-subtitles.ts';
import { cutTags, settleTags } from '../../tags/output-tags.ts';
import { verifyOutput } from '../../verify/verify.ts';
import type { FinishedProduct, FinishRun } from '../product/finished-product.ts';
import type { MadeFile } from './make-product.ts';

export interface TaggedFile extends MadeFile {
  tagged: Pick<EncodedOutput, 'chapters' | 'chapterStarts' | 'cover'>;
  /** Size without tags. */
  encodedBytes: number;
}

export async function tagProduct(made: MadeFile, onAdvance: () => void): Promise<TaggedFile> {
  const { plan, tags, path } = made.product;
  const encodedBytes = (await stat(path)).size;
  const { audio, video } = made.encoded.streams;
  const seconds = Math.max(audio?.seconds ?? 0, video?.seconds ?? 0);
  const cut = plan.video === undefined ? plan.audio?.cut : chapterCut(plan.video.cut);
  const placed = cut === undefined ? tags : cutTags(tags, cut);
  // A fragmented MP4 cannot hold a chapter track.
  const held = plan.isFragmented === true ? { ...placed, chapters: [] } : placed;
  const settled = settleTags(held, plan.container, { from: 0, to: seconds });
  if (settled !== undefined) await tagFile(plan.container, path, settled, onAdvance);
  const { chapters = [], cover } = settled ?? {};
  const tagged = {
    ...(chapters.length > 0 && { chapters: chapters.length }),
    ...(tags.areChaptersFound && { chapterStarts: chapters.map(({ startMs }) => startMs / 1000) }),
    ...(cover !== undefined && { cover: { width: cover.width, height: cover.height, size: cover.bytes.length } }),
  };
  return { ...made, tagged, encodedBytes };
}

export async function finishFile(
  { product, encoded, tagged, encodedBytes }: TaggedFile,
  run: FinishRun,
): Promise<FinishedProduct> {
  const { plan = product.plan, segments, seams, loudness } = encoded;
  const { duration, streams } = await verifyOutput(product.path, plan, encoded.streams, run);
  // A cover is as large as minutes of sound, so the average excludes tags.
  const averageBitrate = Math.round((encodedBytes * 8) / 1000 / duration);
  const audio = streams.find((stream) => stream.kind === 'audio');
  const { contentType, videoContentType = contentType } = containerFacts(plan.container);
  const facts = {
    ...plan.named,
    container: plan.container,
    bitrate: plan.video === undefined ? (audio?.bitrate ?? averageBitrate) : averageBitrate,
    duration: roundToMilliseconds(duration),
    ...(audio !== undefined && { channels: audio.channels, sampleRate: audio.sampleRate }),
    streams,
    subtitles: plan.subtitles && describeSubtitlePlan(plan.subtitles),
    ...tagged,
    loudness,
    quality: encoded.streams.video?.quality,
    target: encoded.streams.video?.target,
    segments,
    seams,
  };
  const type = plan.video === undefined ? contentType : videoContentType;
  return { facts, files: [{ name: '', path: product.path, contentType: type }] };
}
