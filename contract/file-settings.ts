import type { AudioCodec, SampleKind } from './audio-codecs.ts';
import type { ContainerName } from './formats.ts';
import type { AudioOptions, Track } from './http/audio.ts';
import type { CheckOptions } from './http/checks.ts';
import type { Fade, RequestedTrim } from './http/output-options.ts';
import type { Silence } from './http/silence.ts';
import type { TagOptions } from './http/tags.ts';
import type { VideoOptions } from './http/video.ts';
import type { LoudnessTarget } from './loudness.ts';
import type { SubtitleSettings } from './subtitle-settings.ts';
import type { OutputNaming } from './unsupported-output.ts';
import type { VideoCodec } from './video-codecs.ts';
import type { WatermarkSettings } from './watermark-settings.ts';

/** ffmpeg's name of a dither method. */
export type Dither = Exclude<AudioOptions['dither'], undefined | 'none'>;

/** Channel of the source that is used alone. */
export type TakenChannel = Exclude<AudioOptions['downmix'], undefined | 'mix'>;

/** Sound of a file; undefined fields follow the source. */
export interface AudioSettings {
  codec: AudioCodec;
  /** kbit/s */
  bitrate?: number | undefined;
  /** The request states no bitrate, so that a requested sample rate may change `bitrate`. */
  hasDefaultBitrate?: true;
  /** Encoder's own scale; replaces a bitrate. */
  quality?: number | undefined;
  channels?: number | undefined;
  takenChannel?: TakenChannel | undefined;
  /** Hz */
  sampleRate?: number | undefined;
  /** Lossless codecs only. */
  samples?: SampleKind | undefined;
  dither?: Dither | undefined;
  /** Packets of these codecs may be copied up to a bitrate in kbit/s. Undefined: the sound is encoded. */
  copied?: { codecs: readonly AudioCodec[]; mostBitrate: number | undefined } | undefined;
}

/** Pictures of a file. Fields without a default are the request's; undefined fields follow the source. */
export interface VideoSettings extends Omit<VideoOptions, 'copy' | 'keyframeInterval'> {
  codec: VideoCodec;
  fit: NonNullable<VideoOptions['fit']>;
  /** Undefined if the codec has none or the request sets a bitrate. */
  crf: number | undefined;
  speed: NonNullable<VideoOptions['speed']>;
  /** Undefined: the encoder places key frames at scene changes. */
  keyframeSeconds: number | undefined;
  deinterlace: boolean | 'auto';
  /** Packets of these codecs may be copied. Undefined: the pictures are encoded. */
  copiedCodecs: readonly VideoCodec[] | undefined;
}

/** One encoded file: an output, a part of a package, or the samples that an analysis reads. */
export interface FileSettings extends OutputNaming {
  kind: 'file';
  container: ContainerName;
  /** Undefined: no sound. */
  audio?: AudioSettings | undefined;
  /** Refuses a source without sound. */
  needsAudio: boolean;
  /** Undefined: no pictures. */
  video?: VideoSettings | undefined;
  watermark?: WatermarkSettings | undefined;
  subtitles?: SubtitleSettings | undefined;
  /** Undefined: the source's loudness is kept. */
  loudness?: LoudnessTarget | undefined;
  tags: TagOptions;
  track?: Track | undefined;
  trim?: RequestedTrim | undefined;
  fade?: Fade | undefined;
  silence?: Silence | undefined;
  /** Raises quiet speakers to the level of the others. */
  evensSpeech: boolean;
  checks: CheckOptions;
  /** Writes a fragmented MP4. */
  isFragmented?: true;
}

export interface SoundSettings extends FileSettings {
  audio: AudioSettings;
}
