import type { AudioCodec, SampleKind } from '../../contract/audio-codecs.ts';
import type { LoudnessTarget } from '../../contract/loudness.ts';
import type { Dither, TakenChannel } from '../../contract/file-settings.ts';
import type { SourceTime } from '../ffmpeg/gap-filter.ts';
import type { CutPlan } from './cut-plan.ts';
import type { CopyDecision } from './copy-decision.ts';

/** Change applied to all samples of an output before its encoder. */
export interface Level {
  /** dB. */
  gain: number;
  /** Limiter ceiling in dBTP; undefined if no limiter is needed. */
  ceiling: number | undefined;
}

export interface AudioPlan extends CopyDecision {
  codec: AudioCodec;
  /** kbit/s; undefined for lossless codecs, and if a quality is set. */
  bitrate: number | undefined;
  /** On the encoder's own scale, instead of a bitrate. */
  quality: number | undefined;
  channels: number;
  /** Channel of the source that is used alone. */
  takenChannel: TakenChannel | undefined;
  /** Hz. */
  sampleRate: number;
  /** Sample format of a lossless output. */
  samples: SampleKind;
  dither: Dither | undefined;
  /** Audio stream of the source, from 0. */
  track: number;
  sourceTime: SourceTime;
  /** Serial number if the file is an Ogg. */
  oggSerial?: number;
  /** Film whose pictures the sound accompanies, and the start of the output on its clock. */
  film?: { path: string; startSeconds: number };
  /** Loudness that the encoded file must have. */
  loudness?: LoudnessTarget;
  /** Level that yields this loudness. */
  level?: Level;
  /** Undefined: the whole source, unchanged. */
  cut: CutPlan | undefined;
  /** Raises quiet speakers to the level of others. */
  evensSpeech: boolean;
  /** True if channels are mixed, because the speakers differ from the source's. */
  isMixed: boolean;
  /** The source has another number of channels. */
  hasOtherChannels?: true;
  /** Channels of the source, which names no speakers, and ffmpeg's name of the layout that they get. */
  namedSpeakers?: { channels: number; layout: string };
  /** The source's pair behind the listener becomes the pair beside the listener, before anything is mixed. */
  movesBackToSide?: true;
}
