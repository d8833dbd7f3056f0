import { type AudioCodec, audioCodecFacts } from '../../../contract/audio-codecs.ts';

/** Expected effect of an encoder on loudness and peaks. */
export interface EncoderEffect {
  /** dB by which the encoder attenuates its input. The input is raised by as much. */
  loss: number;
  /** dB by which peaks of the decoded file are expected to exceed those of the input. */
  overshoot: number;
}

interface EncodedAs {
  codec: AudioCodec;
  /** kbit/s. */
  bitrate: number | undefined;
  channels: number;
}

/** dB. A limiter at four times the rate and a meter at another rate see slightly different peaks. */
const meterTolerance = 0.1;

/** A lossless codec only has the difference between meters. */
export function encoderEffect({ codec, bitrate, channels }: EncodedAs): EncoderEffect {
  const { overshoots = [], loss } = audioCodecFacts(codec);
  const kilobitsPerChannel = bitrate === undefined ? Infinity : bitrate / channels;
  const [, overshoot] = overshoots.find(([atMost]) => kilobitsPerChannel <= atMost) ?? [0, meterTolerance];
  return { loss: loss?.(bitrate) ?? 0, overshoot };
}
