import type { AudioCodec, SampleKind } from '../../contract/audio-codecs.ts';
import type { LoudnessTarget } from '../../contract/loudness.ts';
import type { Dither } from '../../contract/file-settings.ts';
import type { SourceTime } from '../ffmpeg/gap-filter.ts';
import type { CutPlan } from './cut-plan.ts';
import type { CopyDecision } from './copy-decision.ts';

/** What is done to the samples of an output before its encoder, the same from beginning to end. */
export interface Level {
  /** dB */
  gain: number;
  /** dBTP that a limiter keeps; undefined: none is needed */
  ceiling: number | undefined;
}

export interface AudioPlan extends CopyDecision {
  codec: AudioCodec;
  /** kbit/s; undefined for lossless codecs, and where there is a quality */
  bitrate: number | undefined;
  /** On the encoder's own scale, in place of a bitrate. */
  quality: number | undefined;
  channels: number;
  /** Hz */
  sampleRate: number;
  /** of a lossless output */
  samples: SampleKind;
  dither: Dither | undefined;
  /** the audio stream of the source, from 0 */
  track: number;
  sourceTime: SourceTime;
  /** what its file is to measure */
  loudness?: LoudnessTarget;
  /** what is done to its samples for that */
  level?: Level;
  /** Undefined: all of the source, as it is. */
  cut: CutPlan | undefined;
  /** Quiet speakers become as loud as others. */
  evensSpeech: boolean;
  /** Its speakers are not those of the source: channels are mixed. */
  isMixed: boolean;
}
