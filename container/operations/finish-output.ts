import { analysisFile } from '../../contract/analysis-settings.ts';
import { containerFacts } from '../../contract/formats.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import type { AnalysisResult } from '../analysis/analysis.ts';
import type { EncodedStreams, EncodeTarget } from '../encode/encoded-file.ts';
import { cutTags, settleTags, type TagPlan } from '../encode/tags/output-tags.ts';
import { verifyOutput } from '../encode/verify.ts';
import { tagFile } from '../formats/tags/tag-file.ts';
import type { DeliveryTarget } from '../transfer/delivery-target.ts';
import { digestFile, type Digest } from '../transfer/digest.ts';

export interface PlannedOutput extends EncodeTarget {
  tags: TagPlan;
  /** Undefined where it is asked for when the file is ready. */
  target: DeliveryTarget | undefined;
}

export type TaggedOutput = Pick<EncodedOutput, 'chapters' | 'chapterStarts' | 'cover'>;

/** Before it is verified, so that what is verified is what is uploaded. */
export async function tagOutput(
  { plan, tags, path }: PlannedOutput,
  seconds: number,
  advance: () => void,
): Promise<TaggedOutput> {
  const cut = plan.audio?.cut;
  const placed = cut === undefined ? tags : cutTags(tags, cut);
  const settled = settleTags(placed, plan.container, { from: 0, to: seconds });
  if (settled !== undefined) await tagFile(plan.container, path, settled, advance);
  const { chapters = [], cover } = settled ?? {};
  return {
    ...(chapters.length > 0 && { chapters: chapters.length }),
    ...(tags.areChaptersFound && { chapterStarts: chapters.map(({ startMs }) => startMs / 1000) }),
    ...(cover !== undefined && { cover: { width: cover.width, height: cover.height, size: cover.bytes.length } }),
  };
}

/** A finished file, with what is told of it. */
export interface FinishedFile {
  facts: EncodedOutput;
  contentType: string;
  digest: Digest;
}

export async function finishEncoded(
  { plan, path }: PlannedOutput,
  encoded: EncodedStreams,
  encodedBytes: number,
  signal: AbortSignal,
  advance: () => void,
): Promise<FinishedFile> {
  const { duration, streams } = await verifyOutput(path, plan, encoded, signal);
  const digest = await digestFile(path, signal, advance);
  const { size, sha256 } = digest;
  // Of the sound: a cover takes as many bytes as minutes of it.
  const averageBitrate = Math.round((encodedBytes * 8) / 1000 / duration);
  const audio = streams.find((stream) => stream.kind === 'audio');
  const facts: EncodedOutput = {
    ...plan.named,
    container: plan.container,
    bitrate: plan.video === undefined ? (audio?.bitrate ?? averageBitrate) : averageBitrate,
    size,
    duration: roundToMilliseconds(duration),
    ...(audio !== undefined && { channels: audio.channels, sampleRate: audio.sampleRate }),
    streams,
    sha256,
  };
  const { contentType, videoContentType = contentType } = containerFacts(plan.container);
  return { facts, contentType: plan.video === undefined ? contentType : videoContentType, digest };
}

/** The file of an analysis has been read back when it was made. */
export async function finishAnalysis(
  { plan, path }: PlannedOutput,
  encoded: EncodedStreams,
  found: AnalysisResult,
  signal: AbortSignal,
  advance: () => void,
): Promise<FinishedFile> {
  const { analysis } = plan;
  if (analysis === undefined || plan.audio === undefined) throw new TypeError(`${plan.label} is no analysis`);
  const digest = await digestFile(path, signal, advance);
  const { size, sha256 } = digest;
  const { contentType } = analysisFile(analysis);
  const { channels, sampleRate } = plan.audio;
  const duration = roundToMilliseconds(encoded.audio?.seconds ?? 0);
  return {
    facts: { ...plan.named, contentType, size, duration, channels, sampleRate, ...found, sha256 },
    contentType,
    digest,
  };
}
