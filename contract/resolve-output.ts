import { resolveAnalysis } from './analysis-settings.ts';
import {
  type AudioCodec,
  audioCodecFacts,
  audioCodecs,
  isAudioCodec,
  type SampleKind,
  unavailableCodecs,
} from './audio-codecs.ts';
import { definedFields } from './defined-fields.ts';
import { resolveFilmImage } from './film-image-settings.ts';
import { type ContainerName, containerFacts, containers, formats, isContainerName, parseFormat } from './formats.ts';
import { analysisOptionsOf } from './http/analysis.ts';
import type { AudioOptions } from './http/audio.ts';
import type { CheckOptions } from './http/checks.ts';
import type { DescribedOutput } from './http/output.ts';
import type { TagOptions } from './http/tags.ts';
import { outputLabel } from './output-label.ts';
import { loudnessTarget } from './loudness.ts';
import { checkOutput } from './output-rules.ts';
import { needsSound, singleAudio } from './needed-sound.ts';
import { resolvePackage } from './package-settings.ts';
import { type AudioSettings, type OutputNaming, type OutputSettings, UnsupportedOutput } from './output-settings.ts';
import type { Presets } from './presets.ts';
import type { VideoOptions } from './http/video.ts';
import { overrideVideo, settleVideo } from './video-settings.ts';
import { settleSubtitles } from './subtitle-settings.ts';
import { settleWatermark } from './watermark-settings.ts';

function nameOutput(request: DescribedOutput): OutputNaming {
  const { format, preset, analysis, image, package: kinds, container } = request;
  const label = outputLabel(request);
  if (format !== undefined) return { label, named: { format } };
  if (analysis !== undefined) return { label, named: { analysis } };
  if (image !== undefined) return { label, named: { image } };
  if (preset !== undefined) return { label, named: { preset } };
  return { label, named: kinds === undefined ? { container } : { package: kinds } };
}

/** As it is asked for, names not yet looked up. */
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

/** What a format is short for. */
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
    throw new UnsupportedOutput(naming, `${name} has no bitrate; say "${name}"`);
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
    ...{ container, audio, video },
    ...{ loudness, track, trim, fade, silence, level, watermark, subtitles, fragmented },
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

/** `over` field by field; what it makes senseless of `base` falls away. */
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
  return { ...kept, ...said };
}

function samplesOf({ bitDepth, sampleFormat }: AudioOptions, naming: OutputNaming): SampleKind | undefined {
  if (sampleFormat !== 'float') return bitDepth;
  if (bitDepth === undefined || bitDepth === 32) return 'float';
  throw new UnsupportedOutput(naming, `floating point has 32 bits, and not ${bitDepth}`);
}

function codecOf(name: string, naming: OutputNaming): AudioCodec {
  if (isAudioCodec(name)) return name;
  const known = Object.keys(audioCodecs).join(', ');
  throw new UnsupportedOutput(naming, unavailableCodecs.get(name) ?? `known codecs are ${known}`);
}

/** Analyses are made of all that the source has, in numbers that everything works with. */
const samplesForAnalysis: Wanted = {
  container: 'wav',
  audio: { codec: 'pcm', sampleFormat: 'float' },
  tags: { chapters: 'none', cover: 'none' },
};

/** kbit/s, of sound beside pictures whose codec needs one and that were all that was asked for */
const bitrateBesidePictures = 128;

/** Those of the container, where none is asked for. */
function copiedCodecs(codec: AudioCodec | '' | undefined, container: ContainerName): readonly AudioCodec[] {
  return codec ? [codec] : containerFacts(container).audioCodecs;
}

function settleAudio(
  audio: AudioOptions,
  { container, hasVideo }: { container: ContainerName; hasVideo: boolean },
  naming: OutputNaming,
): AudioSettings {
  const { quality, channels, sampleRate, dither, copy } = audio;
  const codec = codecOf(audio.codec ?? containerFacts(container).audioCodecs[0], naming);
  const { bitrates, defaultBitrate } = audioCodecFacts(codec);
  const isOpen = hasVideo && quality === undefined && bitrates !== undefined && defaultBitrate === undefined;
  return {
    codec,
    bitrate: audio.bitrate ?? (isOpen ? bitrateBesidePictures : undefined),
    ...{ quality, channels, sampleRate },
    samples: samplesOf(audio, naming),
    dither: dither === 'none' ? undefined : dither,
    ...(copy === true && {
      copied: { codecs: copiedCodecs(audio.codec && codec, container), mostBitrate: audio.bitrate },
    }),
  };
}

/** No stream of it is encoded. */
const settingsOfImage = { container: 'mp4', needsAudio: false, tags: {}, evensSpeech: false, checks: {} } as const;

/** What a request's output comes to (pure). Throws `UnsupportedOutput` where nobody can make it, whatever the source is. */
export function resolveOutput(request: DescribedOutput, presets: Presets): OutputSettings {
  const naming = nameOutput(request);
  return packageSettings(request, presets, naming) ?? resolvePlain(request, presets, naming);
}

/** What says something of packages, and what says something of other outputs; the schema knows it of outputs without a preset. */
const packageFields = ['renditions', 'perTitle', 'segmentSeconds', 'layout', 'thumbnails', 'encryption'] as const;
const plainFields = [
  ...(['container', 'metadata', 'chapters', 'cover', 'silence'] as const),
  ...(['channels', 'sampleRate', 'quality', 'target', 'fragmented'] as const),
];

/** Undefined for an output that is no package. */
function packageSettings(request: DescribedOutput, presets: Presets, naming: OutputNaming): OutputSettings | undefined {
  const { preset = '' } = request;
  const base = Object.hasOwn(presets, preset) ? presets[preset] : undefined;
  const kinds = request.package ?? base?.package;
  const refused = kinds === undefined ? packageFields : plainFields;
  const said: Record<string, unknown> = { ...base, ...definedFields(request) };
  const wrong = refused.find((field) => said[field] !== undefined);
  if (wrong !== undefined) {
    throw new UnsupportedOutput(
      naming,
      `${wrong} is ${kinds === undefined ? 'for packages alone' : 'not for packages'}`,
    );
  }
  if (kinds === undefined) return undefined;
  const { audio, encryption } = request;
  const asked = audio ?? base?.audio;
  const video = overrideVideo(base?.video ?? {}, request.video);
  if (asked === false && !video) throw new UnsupportedOutput(naming, 'it would have neither sound nor pictures');
  if (video && video.bitrate !== undefined) {
    throw new UnsupportedOutput(
      naming,
      'its sizes have no bitrate on average; give each of its renditions a maxBitrate',
    );
  }
  if (video && video.copy === true) {
    throw new UnsupportedOutput(
      naming,
      'the pictures of a package are encoded, with key frames where its segments begin',
    );
  }
  const merged = { ...definedFields(base ?? {}), ...definedFields(request) };
  const { renditions, perTitle, segmentSeconds, layout, thumbnails } = merged;
  const { loudness, level, watermark, subtitles, track, trim, fade, verify } = merged;
  const ofPictures = Object.entries({ watermark, subtitles: settleSubtitles(subtitles) });
  const [without] = video ? [] : (ofPictures.find(([, value]) => value !== undefined) ?? []);
  if (without !== undefined) throw new UnsupportedOutput(naming, `${without} needs pictures, and it has none`);
  const wanted = {
    ...{ kinds, isSilent: asked === false, tracks: asked === false ? undefined : asked && [asked].flat() },
    ...{ renditions, perTitle, segmentSeconds, layout, thumbnails, encryption },
  };
  const settings = resolvePackage(wanted, naming, Boolean(video), ({ video: sized, ...part }) => {
    const pictures: VideoOptions | false = sized && video ? { ...video, ...sized } : false;
    const sound = part.audio === false ? {} : { loudness, level, track };
    const options = {
      ...(pictures && { watermark, subtitles }),
      ...sound,
      trim,
      fade,
      ...part,
      verify,
      video: pictures,
    };
    return resolvePlain({ ...options, chapters: 'none', cover: 'none' }, presets, naming);
  });
  return wanted.tracks === undefined || audio !== undefined ? settings : { ...settings, needsAudio: !video };
}

function resolvePlain(request: DescribedOutput, presets: Presets, naming: OutputNaming): OutputSettings {
  const { format, preset, channels, sampleRate } = request;
  const ofAnalysis = analysisOptionsOf(request);
  const filmImage = resolveFilmImage(ofAnalysis, naming);
  const isOptional = request.optional === true;
  if (filmImage !== undefined) return { ...naming, ...settingsOfImage, isOptional, filmImage };
  const analysis = resolveAnalysis(ofAnalysis);
  const base: Wanted =
    format !== undefined
      ? expandFormat(format, naming)
      : preset !== undefined
        ? expandPreset(preset, presets, naming)
        : analysis === undefined
          ? { container: undefined, audio: {} }
          : samplesForAnalysis;
  const video = overrideVideo(base.video, request.video);
  const ofSound = definedFields({ channels, sampleRate });
  const audio =
    request.audio === false || (base.audio === false && request.audio === undefined)
      ? undefined
      : overrideAudio(base.audio, { ...ofSound, ...singleAudio(request.audio) });
  const {
    container = '',
    loudness,
    track,
    trim,
    fade,
    silence,
    level,
    watermark,
    subtitles,
    fragmented,
  } = { ...definedFields(base), ...definedFields(request) };
  if (!isContainerName(container)) {
    throw new UnsupportedOutput(naming, `known containers are ${Object.keys(containers).join(', ')}`);
  }
  const output: OutputSettings = {
    ...naming,
    container,
    audio: audio && settleAudio(audio, { container, hasVideo: Boolean(video) }, naming),
    needsAudio:
      audio !== undefined && needsSound(request, { isReport: analysis?.kind === 'report', hasVideo: Boolean(video) }),
    ...(video && { video: settleVideo(video, container, naming) }),
    loudness: loudness && loudnessTarget(loudness),
    tags: {
      ...base.tags,
      ...tagsOf(request),
      metadata: { ...base.tags?.metadata, ...request.metadata },
    },
    ...{ track, trim, fade, silence },
    evensSpeech: level === 'speech',
    ...(watermark !== undefined && { watermark: settleWatermark(watermark) }),
    subtitles: settleSubtitles(subtitles),
    checks: { ...base.checks, ...checksOf(request) },
    isOptional,
    ...(fragmented === true && { isFragmented: true }),
    ...(analysis !== undefined && { analysis }),
  };
  checkOutput(output);
  return output;
}
