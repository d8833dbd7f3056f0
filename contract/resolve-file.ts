import {
  type AudioCodec,
  audioCodecFacts,
  audioCodecs,
  isAudioCodec,
  type SampleKind,
  unavailableCodecs,
} from './audio-codecs.ts';
import { definedFields } from './defined-fields.ts';
import type { AudioSettings, FileSettings } from './file-settings.ts';
import { type ContainerName, containerFacts, containers, formats, isContainerName, parseFormat } from './formats.ts';
import type { AudioOptions } from './http/audio.ts';
import type { CheckOptions } from './http/checks.ts';
import type { DescribedOutput } from './http/output.ts';
import type { TagOptions } from './http/tags.ts';
import type { VideoOptions } from './http/video.ts';
import { loudnessTarget } from './loudness.ts';
import { needsSound, singleAudio } from './needed-sound.ts';
import { checkOutput } from './output-rules.ts';
import type { Presets } from './presets.ts';
import { overrideSubtitles, settleSubtitles } from './subtitle-settings.ts';
import { type OutputNaming, UnsupportedOutput } from './unsupported-output.ts';
import { overrideVideo, settleVideo } from './video-settings.ts';
import { settleWatermark } from './watermark-settings.ts';

/** Options of an output before names are looked up. */
interface Wanted extends Pick<
  DescribedOutput,
  'loudness' | 'track' | 'trim' | 'fade' | 'silence' | 'level' | 'watermark' | 'subtitles' | 'fragmented'
> {
  container: string | undefined;
  audio: DescribedOutput['audio'];
  video?: VideoOptions | false | undefined;
  tags?: TagOptions;
  checks?: CheckOptions;
}

function expandFormat(format: string, naming: OutputNaming): Wanted {
  const parsed = parseFormat(format);
  const [name = ''] = format.split('_');
  if (parsed === undefined) {
    const reason = unavailableCodecs.get(name) ?? `known formats are ${Object.keys(formats).join(', ')}`;
    throw new UnsupportedOutput(naming, reason);
  }
  const { container, codec, bitrate } = parsed;
  const { bitrates, defaultBitrate } = audioCodecFacts(codec);
  if (bitrates === undefined && bitrate !== undefined) {
    throw new UnsupportedOutput(naming, `${name} has no bitrate; use "${name}"`);
  }
  if (bitrates !== undefined && defaultBitrate === undefined && bitrate === undefined) {
    throw new UnsupportedOutput(naming, `${name} needs a bitrate in kbit/s, such as "${name}_64"`);
  }
  return { container, audio: { codec, bitrate } };
}

function expandPreset(name: string, presets: Presets, naming: OutputNaming): Wanted {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset === undefined) {
    throw new UnsupportedOutput(
      naming,
      `there is no preset of that name; known are ${Object.keys(presets).join(', ')}`,
    );
  }
  const { container, audio = {}, video, loudness, track, trim, fade, silence, level } = preset;
  const { watermark, subtitles, fragmented } = preset;
  return {
    ...{ container, audio, video, loudness, track, trim, fade, silence, level, watermark, subtitles, fragmented },
    tags: tagsOf(preset),
    checks: checksOf(preset),
  };
}

function tagsOf({ metadata, chapters, cover }: TagOptions): TagOptions {
  return definedFields({ metadata, chapters, cover });
}

function checksOf({ verify, quality, target }: Pick<DescribedOutput, keyof CheckOptions>): CheckOptions {
  return definedFields({ verify, target, quality: typeof quality === 'boolean' ? quality : undefined });
}

function worksAt(codec: string, sampleRate: number | undefined): boolean {
  if (sampleRate === undefined || !isAudioCodec(codec)) return true;
  return audioCodecFacts(codec).sampleRates?.includes(sampleRate) ?? true;
}

/** Applies `over` field by field, and drops fields of `base` that contradict it. */
function overrideAudio(base: DescribedOutput['audio'], over: AudioOptions): AudioOptions {
  const said = definedFields(over);
  const kept: AudioOptions = base === false || Array.isArray(base) ? {} : { ...base };
  if (said.codec !== undefined && said.codec !== kept.codec) {
    for (const field of ['bitrate', 'quality', 'bitDepth', 'sampleFormat', 'dither'] as const) delete kept[field];
    if (!worksAt(said.codec, kept.sampleRate)) delete kept.sampleRate;
  }
  if (said.quality !== undefined) delete kept.bitrate;
  if (said.bitrate !== undefined) delete kept.quality;
  if (said.bitDepth !== undefined && said.bitDepth !== kept.bitDepth) {
    for (const field of ['sampleFormat', 'dither'] as const) delete kept[field];
  }
  if (said.sampleFormat === 'float' && said.bitDepth === undefined) {
    for (const field of ['bitDepth', 'dither'] as const) delete kept[field];
  }
  return { ...kept, ...said };
}

function samplesOf({ bitDepth, sampleFormat }: AudioOptions, naming: OutputNaming): SampleKind | undefined {
  if (sampleFormat !== 'float') return bitDepth;
  if (bitDepth === undefined || bitDepth === 32) return 'float';
  throw new UnsupportedOutput(naming, `floating point has 32 bits, not ${bitDepth}`);
}

function codecOf(name: string, naming: OutputNaming): AudioCodec {
  if (isAudioCodec(name)) return name;
  const known = Object.keys(audioCodecs).join(', ');
  throw new UnsupportedOutput(naming, unavailableCodecs.get(name) ?? `known codecs are ${known}`);
}

/** Analyses read 32-bit floating point at the source's channels and sample rate. */
export const samplesForAnalysis: Wanted = {
  container: 'wav',
  audio: { codec: 'pcm', sampleFormat: 'float' },
  tags: { chapters: 'none', cover: 'none' },
};

/** Default kbit/s of sound beside pictures for codecs that need a bitrate */
const bitrateBesidePictures = 128;

/** The requested codec, or all of the container. */
function copiedCodecs(codec: AudioCodec | '' | undefined, container: ContainerName): readonly AudioCodec[] {
  return codec ? [codec] : containerFacts(container).audioCodecs;
}

function settleAudio(
  audio: AudioOptions,
  { container, hasVideo }: { container: ContainerName; hasVideo: boolean },
  naming: OutputNaming,
): AudioSettings {
  const { quality, channels, downmix, sampleRate, dither, copy } = audio;
  const codec = codecOf(audio.codec ?? containerFacts(container).audioCodecs[0], naming);
  const { bitrates, defaultBitrate } = audioCodecFacts(codec);
  const takesBitrate = quality === undefined && bitrates !== undefined && audio.bitrate === undefined;
  const isOpen = hasVideo && takesBitrate && defaultBitrate === undefined;
  return {
    codec,
    bitrate: isOpen ? bitrateBesidePictures : audio.bitrate,
    ...(isOpen && { hasDefaultBitrate: true as const }),
    ...{ quality, channels, sampleRate },
    takenChannel: downmix === 'mix' ? undefined : downmix,
    samples: samplesOf(audio, naming),
    dither: dither === 'none' ? undefined : dither,
    ...(copy === true && {
      copied: { codecs: copiedCodecs(audio.codec && codec, container), mostBitrate: audio.bitrate },
    }),
  };
}

function expandRequest({ format, preset }: DescribedOutput, presets: Presets, naming: OutputNaming): Wanted {
  if (format !== undefined) return expandFormat(format, naming);
  return preset === undefined ? { container: undefined, audio: {} } : expandPreset(preset, presets, naming);
}

/** Applies a format, a preset and the defaults to an output of one file (pure). Throws `UnsupportedOutput`. */
export function resolveFile(
  request: DescribedOutput,
  presets: Presets,
  naming: OutputNaming,
  base = expandRequest(request, presets, naming),
): FileSettings {
  const { channels, downmix, sampleRate } = request;
  const video = overrideVideo(base.video, request.video);
  const ofSound = definedFields({ channels, downmix, sampleRate });
  const audio =
    request.audio === false || (base.audio === false && request.audio === undefined)
      ? undefined
      : overrideAudio(base.audio, { ...ofSound, ...singleAudio(request.audio) });
  const merged = { ...definedFields(base), ...definedFields(request) };
  const { container = '', loudness, track, trim, fade, silence, level, watermark, fragmented } = merged;
  if (!isContainerName(container)) {
    throw new UnsupportedOutput(naming, `known containers are ${Object.keys(containers).join(', ')}`);
  }
  const kind = { isReport: request.analysis === 'report', hasVideo: Boolean(video) };
  const output: FileSettings = {
    kind: 'file',
    ...naming,
    container,
    audio: audio && settleAudio(audio, { container, hasVideo: kind.hasVideo }, naming),
    needsAudio: audio !== undefined && needsSound(request, kind),
    ...(video && { video: settleVideo(video, container, naming) }),
    loudness: loudness && loudnessTarget(loudness),
    tags: { ...base.tags, ...tagsOf(request), metadata: { ...base.tags?.metadata, ...request.metadata } },
    ...{ track, trim, fade, silence },
    evensSpeech: level === 'speech',
    ...(watermark !== undefined && { watermark: settleWatermark(watermark) }),
    subtitles: settleSubtitles(overrideSubtitles(base.subtitles, request, naming)),
    checks: { ...base.checks, ...checksOf(request) },
    ...(fragmented === true && { isFragmented: true }),
  };
  checkOutput(output);
  return output;
}
