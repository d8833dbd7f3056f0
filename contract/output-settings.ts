import type { AnalysisSettings } from './analysis-settings.ts';
import type { CheckOptions } from './http/checks.ts';
import type { AudioCodec, SampleKind } from './audio-codecs.ts';
import type { FilmImageSettings } from './film-image-settings.ts';
import type { ContainerName } from './formats.ts';
import type { AudioOptions, Track } from './http/audio.ts';
import type { Fade, RequestedTrim } from './http/output.ts';
import type { Silence } from './http/silence.ts';
import type { VideoOptions } from './http/video.ts';
import type { PixelFormat, VideoCodec } from './video-codecs.ts';
import type { LoudnessTarget } from './loudness.ts';
import type { PackageSettings } from './package-settings.ts';
import type { PackageKind } from './http/package.ts';
import type { TagOptions } from './http/tags.ts';
import type { SubtitleSettings } from './subtitle-settings.ts';
import type { WatermarkSettings } from './watermark-settings.ts';

/** ffmpeg's name of how bits that fall away are made up for. */
export type Dither = Exclude<AudioOptions['dither'], undefined | 'none'>;

/** The audio that an output is to have, as far as it was said; the source decides the rest. */
export interface AudioSettings {
  codec: AudioCodec;
  /** kbit/s */
  bitrate?: number | undefined;
  /** On the encoder's own scale, in place of a bitrate. */
  quality?: number | undefined;
  channels?: number | undefined;
  /** Hz */
  sampleRate?: number | undefined;
  /** of a lossless output */
  samples?: SampleKind | undefined;
  dither?: Dither | undefined;
  /** The codecs and kbit/s whose packets may be copied, where all else is as asked. Undefined: it is encoded. */
  copied?: { codecs: readonly AudioCodec[]; mostBitrate: number | undefined } | undefined;
}

/** The pictures that an output is to have, as far as it was said; the source decides the rest. */
export interface VideoSettings {
  codec: VideoCodec;
  /** pixels */
  width: number | undefined;
  height: number | undefined;
  fit: NonNullable<VideoOptions['fit']>;
  pad: VideoOptions['pad'];
  crop: VideoOptions['crop'];
  rotate: VideoOptions['rotate'];
  /** Undefined: as the source has it. */
  fps: number | undefined;
  /** Undefined: the codec has none, or there is a bitrate. */
  crf: number | undefined;
  /** kbit/s on average */
  bitrate: number | undefined;
  /** kbit/s */
  maxBitrate: number | undefined;
  speed: NonNullable<VideoOptions['speed']>;
  /** Undefined: the encoder puts them where scenes change. */
  keyframeSeconds: number | undefined;
  pixelFormat: PixelFormat | undefined;
  /** such as `4.1` */
  level: string | undefined;
  deinterlace: boolean | 'auto';
  /** Undefined: nothing was said, and what would be lost is refused. */
  hdr: VideoOptions['hdr'];
  /** The codecs whose packets may be copied, where all else is as asked. Undefined: they are encoded. */
  copiedCodecs: readonly VideoCodec[] | undefined;
}

/** How an output is spoken of. */
export interface OutputNaming {
  /** One word for errors and logs. */
  label: string;
  /** What it was asked for by: in answers, and in the details of errors. */
  named:
    | { format: string }
    | { preset: string }
    | { analysis: string }
    | { image: string }
    | { package: PackageKind[] }
    | { container: string | undefined };
}

/** What an output is to be: the one thing that formats, presets, containers with audio, and analyses come to. */
export interface OutputSettings extends OutputNaming {
  container: ContainerName;
  /** Undefined: it has no sound. */
  audio?: AudioSettings | undefined;
  /** Sound is part of what was asked for, and no source without it will do. */
  needsAudio: boolean;
  /** Undefined: it has no pictures. */
  video?: VideoSettings | undefined;
  /** Undefined: its pictures are those of the source alone. */
  watermark?: WatermarkSettings | undefined;
  /** Undefined: it has none. */
  subtitles?: SubtitleSettings | undefined;
  /** undefined: as loud as the source */
  loudness?: LoudnessTarget | undefined;
  tags: TagOptions;
  track?: Track | undefined;
  trim?: RequestedTrim | undefined;
  fade?: Fade | undefined;
  silence?: Silence | undefined;
  /** Quiet speakers become as loud as others. */
  evensSpeech: boolean;
  checks: CheckOptions;
  /** It is left out where the source has not what it is made of. */
  isOptional: boolean;
  /** Written as an MP4 in fragments. */
  isFragmented?: true;
  /** Its pictures and sound are offered in several sizes, in segments; `video` is what all of them have in common. */
  package?: PackageSettings;
  /** Made of the samples that `container` and `audio` say, in place of a file of them. */
  analysis?: AnalysisSettings | undefined;
  /** Made of the pictures of the source, in place of a file with streams. */
  filmImage?: FilmImageSettings | undefined;
}

/** An output that is to have sound. */
export interface SoundSettings extends OutputSettings {
  audio: AudioSettings;
}

/** An output that cannot be made. The message is a sentence. */
export class UnsupportedOutput extends Error {
  override readonly name = 'UnsupportedOutput';
  readonly details: Record<string, unknown>;

  constructor({ label, named }: OutputNaming, reason: string, details = {}) {
    super(`The output ${label} cannot be made: ${reason}.`);
    this.details = { ...named, ...details };
  }
}
