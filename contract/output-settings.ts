import type { AnalysisSettings } from './analysis-settings.ts';
import type { AudioCodec, SampleKind } from './audio-codecs.ts';
import type { ContainerName } from './formats.ts';
import type { AudioOptions, Fade, RequestedTrim, Track } from './http/output.ts';
import type { Silence } from './http/silence.ts';
import type { LoudnessTarget } from './loudness.ts';
import type { TagOptions } from './http/tags.ts';

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
    | { container: string | undefined };
}

/** What an output is to be: the one thing that formats, presets, containers with audio, and analyses come to. */
export interface OutputSettings extends OutputNaming {
  container: ContainerName;
  audio: AudioSettings;
  /** undefined: as loud as the source */
  loudness?: LoudnessTarget | undefined;
  tags: TagOptions;
  track?: Track | undefined;
  trim?: RequestedTrim | undefined;
  fade?: Fade | undefined;
  silence?: Silence | undefined;
  /** Quiet speakers become as loud as others. */
  evensSpeech: boolean;
  /** Made of the samples that `container` and `audio` say, in place of a file of them. */
  analysis?: AnalysisSettings | undefined;
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
