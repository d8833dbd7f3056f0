import type { VideoOptions } from './http/video.ts';
import { definedFields } from './defined-fields.ts';
import { containerFacts, type ContainerName } from './formats.ts';
import type { VideoSettings } from './file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from './unsupported-output.ts';
import { canonicalLevel, levelNames, videoLevels } from './video-levels.ts';
import { isVideoCodec, videoCodecFacts, videoCodecs, type VideoCodec } from './video-codecs.ts';

/** Fields that a change of the codec drops. */
const ofTheCodec = ['crf', 'bitrate', 'maxBitrate', 'speed', 'pixelFormat', 'keyframeInterval', 'level'] as const;

const ofTheLevel = ['width', 'height', 'fps', 'bitrate', 'maxBitrate', 'pixelFormat'] as const;

/** Applies `over` field by field; `false`: no pictures (pure). */
export function overrideVideo(
  base: VideoOptions | false | undefined,
  over: VideoOptions | false | undefined,
): VideoOptions | false | undefined {
  if (over === undefined || over === false) return over ?? base;
  const kept: VideoOptions = base === false ? {} : { ...base };
  if (over.codec !== undefined && over.codec !== kept.codec) for (const field of ofTheCodec) delete kept[field];
  if (over.bitrate !== undefined) delete kept.crf;
  if (over.crf !== undefined) delete kept.bitrate;
  if (over.bitrate !== undefined && over.bitrate > (kept.maxBitrate ?? Infinity)) delete kept.maxBitrate;
  // A level is valid only for the size and rate for which it was set.
  if (ofTheLevel.some((field) => over[field] !== undefined)) delete kept.level;
  return { ...kept, ...definedFields(over) };
}

function codecOf(name: string | undefined, container: ContainerName, naming: OutputNaming): VideoCodec {
  const { videoCodecs: held } = containerFacts(container);
  const [first] = held ?? [];
  if (held === undefined || first === undefined) {
    throw new UnsupportedOutput(naming, `${container} files hold no pictures; mp4, mov, mkv and webm files do`);
  }
  if (name === undefined) return first;
  if (!isVideoCodec(name)) {
    throw new UnsupportedOutput(naming, `known video codecs are ${Object.keys(videoCodecs).join(', ')}`);
  }
  if (held.includes(name)) return name;
  throw new UnsupportedOutput(naming, `${container} files hold ${held.join(', ')} pictures, not ${name}`);
}

function bitrateProblem(codec: VideoCodec, { crf, bitrate, maxBitrate }: VideoOptions): string | undefined {
  if (bitrate === undefined) return undefined;
  const { crf: hasCrf, hasTwoPasses } = videoCodecFacts(codec);
  if (hasTwoPasses !== true)
    return `Holdfast encodes ${codec} without a bitrate${hasCrf === undefined ? '' : '; use a crf'}`;
  if (crf !== undefined) return 'use a crf or a bitrate, not both';
  if (maxBitrate === undefined || maxBitrate >= bitrate) return undefined;
  return `the maxBitrate of ${maxBitrate} is below the bitrate of ${bitrate}`;
}

/** Conflict of an option with the codec or with another option. */
function problemOf(codec: VideoCodec, options: VideoOptions): string | undefined {
  const { crf, maxBitrate, keyframeInterval, speed, pixelFormat } = options;
  const facts = videoCodecFacts(codec);
  if (crf !== undefined) {
    if (facts.crf === undefined) return `${codec} has no crf`;
    if (crf < facts.crf.best || crf > facts.crf.worst)
      return `the crf of ${codec} is a number from ${facts.crf.best} (best) to ${facts.crf.worst}`;
    if (facts.crf.isWhole && !Number.isInteger(crf)) return `the crf of ${codec} is a whole number`;
  }
  const ofBitrate = bitrateProblem(codec, options);
  if (ofBitrate !== undefined) return ofBitrate;
  if (maxBitrate !== undefined && !facts.capsBitrate) return `Holdfast encodes ${codec} without a maxBitrate`;
  if (facts.isIntraOnly && keyframeInterval !== undefined) return `every picture of ${codec} is a key frame`;
  if (facts.crf === undefined && speed !== undefined) return `${codec} has one speed only`;
  if (pixelFormat !== undefined && !facts.pixelFormats.includes(pixelFormat)) {
    return `${codec} takes ${facts.pixelFormats.join(', ')}, not ${pixelFormat}`;
  }
  return levelNameProblem(codec, options) ?? shapeProblem(options) ?? rangeProblem(options);
}

function levelNameProblem(codec: VideoCodec, { level }: VideoOptions): string | undefined {
  if (level === undefined) return undefined;
  const names = levelNames(codec);
  if (names === undefined)
    return `Holdfast encodes ${codec} without a level; ${Object.keys(videoLevels).join(' and ')} have one`;
  return names.includes(canonicalLevel(level)) ? undefined : `the levels of ${codec} are ${names.join(', ')}`;
}

function shapeProblem({ fit = 'contain', pad, width, height }: VideoOptions): string | undefined {
  if (pad !== undefined && fit !== 'contain')
    return `"pad" needs "fit": "contain", because "fit": "${fit}" leaves no space to fill`;
  if (width !== undefined && height !== undefined) return undefined;
  if (pad !== undefined) return '"pad" needs both width and height';
  return fit === 'contain' ? undefined : `"fit": "${fit}" needs both width and height`;
}

function rangeProblem({ hdr, pixelFormat }: VideoOptions): string | undefined {
  return hdr === 'keep' && pixelFormat !== undefined && !pixelFormat.includes('10')
    ? `"hdr": "keep" needs a pixelFormat of 10 bits, and ${pixelFormat} has 8`
    : undefined;
}

/** The requested codec, or all of the container. */
function copiedCodecs(codec: VideoCodec | '' | undefined, container: ContainerName): readonly VideoCodec[] {
  return codec ? [codec] : (containerFacts(container).videoCodecs ?? []);
}

/** Applies the defaults of pictures (pure). Throws `UnsupportedOutput`. */
export function settleVideo(options: VideoOptions, container: ContainerName, naming: OutputNaming): VideoSettings {
  const codec = codecOf(options.codec, container, naming);
  const problem = problemOf(codec, options);
  if (problem !== undefined) throw new UnsupportedOutput(naming, problem);
  const { copy, keyframeInterval: keyframeSeconds, ...asked } = options;
  return {
    ...asked,
    codec,
    keyframeSeconds,
    level: asked.level && canonicalLevel(asked.level),
    fit: asked.fit ?? 'contain',
    crf: asked.bitrate === undefined ? (asked.crf ?? videoCodecFacts(codec).crf?.default) : undefined,
    speed: asked.speed ?? 'medium',
    // A lossless codec keeps interlaced fields.
    deinterlace: asked.deinterlace ?? (videoCodecFacts(codec).isLossless ? false : 'auto'),
    copiedCodecs: copy === true ? copiedCodecs(asked.codec && codec, container) : undefined,
  };
}
