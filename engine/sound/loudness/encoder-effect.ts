import { type AudioCodec, audioCodecFacts } from '../../../contract/audio-codecs.ts';

/** What an encoder does to loudness and peaks, as far as it is known before. */
export interface EncoderEffect {
  /** dB by which the encoder turns down what it is given; it is given back before. */
  loss: number;
  /** dB by which peaks of the decoded file are expected to stand above those that went in. */
  overshoot: number;
}

interface EncodedAs {
  codec: AudioCodec;
  /** kbit/s */
  bitrate: number | undefined;
  channels: number;
}

/** dB: a limiter at four times the rate and a meter of another rate see peaks a little differently. */
const meterTolerance = 0.1;

export function encoderEffect({ codec, bitrate, channels }: EncodedAs): EncoderEffect {
  const { overshoots = [], loss } = audioCodecFacts(codec);
  const kilobitsPerChannel = bitrate === undefined ? Infinity : bitrate / channels;
  const [, overshoot] = overshoots.find(([atMost]) => kilobitsPerChannel <= atMost) ?? [0, meterTolerance];
  return { loss: loss?.(bitrate) ?? 0, overshoot };
}
