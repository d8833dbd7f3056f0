import { z } from 'zod';
import { hasSeveralFiles } from '../several-files.ts';
import { analysisKindOf, analysisOptionsOf, analysisOptionsShape, checkAnalysisFields } from './analysis.ts';
import { Channels, Downmix, SampleRate } from './audio.ts';
import { ContainerEncryption } from './encryption.ts';
import { TransferHeaders } from './headers.ts';
import { LoudnessFacts } from './loudness.ts';
import { outputOptionsShape } from './output-options.ts';
import { checkPackageFields } from './package.ts';
import type { containerTagOptions } from './tags.ts';
import { checkOptionsShape } from './checks.ts';
import { ContainerUploadUrl } from './url.ts';
import { PerTitleFacts } from './per-title.ts';
import { QualityFacts, ReachedTarget } from './quality.ts';
import { SubtitleFacts } from './subtitles.ts';
import { copyFacts, EncodedVideoStream } from './video.ts';

/**
 * `mp3_128`, `opus_24`, `flac` …: `<codec>` or `<codec>_<kbit/s>`. Support is decided once the source is known:
 * `unsupported_format`.
 */
export const FormatName = z.string().regex(/^[a-z][a-z0-9]{0,15}(?:_[1-9][0-9]{0,3})?$/, {
  error: 'must be a format such as mp3_128, aac_96, opus_24, flac or wav',
});

export const PresetName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, {
  error: 'must be the name of a preset such as podcast-mp3-stereo',
});

/** Description of an output without its destination; check it with `checkDescribedOutput`, too. */
export const describedOutputShape = {
  format: FormatName.optional(),
  preset: PresetName.optional(),
  ...outputOptionsShape,
  /**
   * Keeps the subtitles of the preset, which `subtitles` otherwise replaces. It is no field of `subtitles`, because workers
   * of older versions rebuild these without unknown fields.
   */
  presetSubtitles: z.literal(true).optional(),
  ...analysisOptionsShape,
  /** Packages only. Presets are public, so they have no encryption. */
  encryption: ContainerEncryption.optional(),
  /** Encoded pictures: whether quality is measured. Images: 1 to 100. */
  quality: z.union([checkOptionsShape.quality.unwrap(), analysisOptionsShape.quality.unwrap()]).optional(),
  /** Shorthand for `audio.channels`, `audio.downmix` and `audio.sampleRate`. */
  channels: Channels.optional(),
  downmix: Downmix.optional(),
  /** Hz */
  sampleRate: SampleRate.optional(),
};

const DescribedOutput = z.strictObject(describedOutputShape);
export type DescribedOutput = z.infer<typeof DescribedOutput>;

/** Refinement for `describedOutputShape`: exactly one field must say what the output is. */
export function checkDescribedOutput(
  output: Omit<DescribedOutput, keyof typeof containerTagOptions | 'watermark' | 'subtitles' | 'encryption'> & {
    encryption?: unknown;
  },
  context: z.RefinementCtx,
): void {
  const { format, preset, container, audio, video } = output;
  const refuse = (field: string, message: string): void => context.addIssue({ code: 'custom', message, path: [field] });
  checkAnalysisFields(analysisOptionsOf(output), refuse);
  if (analysisKindOf(output) !== undefined) {
    if (typeof output.quality === 'boolean') refuse('quality', 'is a number from 1 to 100 for an image');
    return;
  }
  if (format === undefined && preset === undefined && container === undefined && output.package === undefined) {
    refuse('format', 'give a format, a preset, a container with audio or video, a package, an analysis or an image');
  }
  checkPackageFields(output, refuse);
  if (format !== undefined && preset !== undefined) refuse('preset', 'give either format or preset');
  if (output.presetSubtitles !== undefined && preset === undefined) refuse('presetSubtitles', 'needs a preset');
  for (const [field, value] of Object.entries({ container, audio, video })) {
    if (format === undefined || value === undefined) continue;
    refuse(field, 'give either format, or container with audio: a format sets both');
  }
  for (const field of ['channels', 'downmix', 'sampleRate', 'loudness', 'level', 'track'] as const) {
    if (output[field] !== undefined && audio === false) refuse(field, 'is for sound, which "audio": false leaves out');
  }
  for (const field of ['channels', 'downmix', 'sampleRate'] as const) {
    const inAudio = [audio || []].flat().some((one) => one[field] !== undefined);
    if (output[field] !== undefined && inAudio) refuse(field, 'is set in audio, too: set it once');
  }
}

export const RequestedOutput = z
  .strictObject({
    ...describedOutputShape,
    uploadUrl: ContainerUploadUrl.optional(),
    headers: TransferHeaders.optional(),
    /** The job asks for the URL once the file is verified (docs/reference/container-api.md, "Delivery on demand"). */
    deliver: z.literal('on_demand').optional(),
  })
  .refine(({ uploadUrl, deliver }) => (uploadUrl === undefined) !== (deliver === undefined), {
    error: 'give either uploadUrl or "deliver": "on_demand"',
    path: ['uploadUrl'],
  })
  .refine((output) => output.uploadUrl === undefined || !hasSeveralFiles(output), {
    error: 'names one file, but this output has several: use "deliver": "on_demand"',
    path: ['uploadUrl'],
  })
  .superRefine(checkDescribedOutput);
export type RequestedOutput = z.infer<typeof RequestedOutput>;

export const audioFacts = {
  channels: z.number().int(),
  /** Hz */
  sampleRate: z.number().int(),
};

const EncodedAudioStream = z.object({
  kind: z.literal('audio'),
  /** ffprobe's name */
  codec: z.string(),
  /** kbit/s; undefined for a lossless codec */
  bitrate: z.number().optional(),
  ...audioFacts,
  ...copyFacts,
});

export const EncodedStream = z.discriminatedUnion('kind', [EncodedAudioStream, EncodedVideoStream]);
export type EncodedStream = z.infer<typeof EncodedStream>;

const PeaksFacts = z.object({
  /** pairs per channel */
  length: z.number().int(),
  /** samples per pair */
  zoom: z.number().int(),
  bits: z.number().int(),
  /** 1: peaks of the mean of all channels */
  channels: z.number().int(),
});

const OutputFile = z.object({
  /** Relative path, such as `master.m3u8`. */
  name: z.string(),
  /** bytes */
  size: z.number().int(),
  contentType: z.string(),
  sha256: z.string(),
  /** Seconds from the start of the film to the picture. */
  at: z.number().optional(),
});

export const EncodedOutput = z.object({
  /** Value of the request's field that defines the output. */
  format: z.string().optional(),
  preset: z.string().optional(),
  analysis: z.string().optional(),
  image: z.string().optional(),
  package: z.array(z.string()).optional(),
  /** Container of the file, such as `m4a`. Optional, like `streams`: containers of older versions omit it. */
  container: z.string().optional(),
  /** Media type of an analysis or an image, which has no container. */
  contentType: z.string().optional(),
  /** kbit/s of encoded audio: the requested target, else the measured average. */
  bitrate: z.number().optional(),
  /** bytes of all its files */
  size: z.number().int(),
  /** Why an optional output was left out. */
  leftOut: z.object({ code: z.string(), error: z.string() }).optional(),
  /** seconds; for an analysis or image, those of its input */
  duration: z.number().optional(),
  /** Outputs with audio only. */
  channels: audioFacts.channels.optional(),
  sampleRate: audioFacts.sampleRate.optional(),
  streams: z.array(EncodedStream).optional(),
  /** Set if loudness was requested. */
  loudness: LoudnessFacts.optional(),
  /** Set if a measurement was requested. */
  quality: QualityFacts.optional(),
  target: ReachedTarget.optional(),
  /** Packages with `perTitle` only. */
  perTitle: PerTitleFacts.optional(),
  /** Set if subtitles were requested. */
  subtitles: SubtitleFacts.optional(),
  peaks: PeaksFacts.optional(),
  /** Images only; pixels. */
  width: z.number().int().optional(),
  height: z.number().int().optional(),
  /** Images only: seconds from the start of the film to the picture. */
  at: z.number().optional(),
  /** Storyboards only: number of tiles, seconds between tiles, and the grid of a sheet. */
  tiles: z
    .object({ count: z.number().int(), interval: z.number(), columns: z.number().int(), rows: z.number().int() })
    .optional(),
  chapters: z.number().int().optional(),
  /** Seconds at which chapters found by pauses begin. */
  chapterStarts: z.array(z.number()).optional(),
  /** Cover in the file, in pixels and bytes. */
  cover: z.object({ width: z.number().int(), height: z.number().int(), size: z.number().int() }).optional(),
  /** Outputs of one file only. */
  sha256: z.string().optional(),
  /** Outputs of several files only. */
  files: z.array(OutputFile).optional(),
  /** Number of segments that were encoded in parallel; 1: the output was not split. */
  segments: z.number().int().optional(),
  /**
   * Joins between segments. `exact`: both encoders wrote identical frames. `matched`: frames that the codec can join.
   */
  seams: z.object({ exact: z.number().int(), matched: z.number().int() }).optional(),
});
export type EncodedOutput = z.infer<typeof EncodedOutput>;
