/** What an encoder does to loudness and peaks, as far as it is known before. */
export interface EncoderEffect {
  /** dB by which the encoder turns down what it is given; it is given back before. */
  loss: number;
  /** dB by which peaks of the decoded file are expected to stand above those that went in. */
  overshoot: number;
}

interface EncodedAs {
  codec: string;
  /** kbit/s */
  bitrate: number | undefined;
  channels: number;
}

/** dB: a limiter at four times the rate and a meter of another rate see peaks a little differently. */
const meterTolerance = 0.1;

/**
 * LAME turns constant bitrates down, by 0.95 up to 160 kbit/s, 0.97 at 192 and 0.98 at 224 (lame 3.100, presets.c, `scale` of
 * abr_switch_map).
 */
function lameLoss(bitrate: number): number {
  const scale = bitrate <= 160 ? 0.95 : bitrate <= 192 ? 0.97 : bitrate <= 224 ? 0.98 : 1;
  return -20 * Math.log10(scale);
}

/** dB by kbit/s for each channel, up to which they hold: the highest of what was measured of music, speech and film. */
const overshoots: Record<string, readonly (readonly [number, number])[]> = {
  mp3: [
    [64, 0.8],
    [96, 0.6],
    [Infinity, 0.4],
  ],
  aac: [
    [32, 1.2],
    [48, 0.8],
    [Infinity, 0.5],
  ],
  opus: [
    [16, 1.4],
    [32, 1],
    [Infinity, 0.6],
  ],
  vorbis: [[Infinity, 0.8]],
  ac3: [[Infinity, 0.5]],
};

/** dB: what ffmpeg's AAC encoder leaves out at usual bitrates, sound above 16 kHz and noise. */
const aacLoss = 0.04;

function encoderLoss(codec: string, bitrate: number | undefined): number {
  if (codec === 'mp3' && bitrate !== undefined) return lameLoss(bitrate);
  return codec === 'aac' ? aacLoss : 0;
}

/** Of a lossless codec there is none but what meters see. */
export function encoderEffect({ codec, bitrate, channels }: EncodedAs): EncoderEffect {
  const kbitPerChannel = bitrate === undefined ? Infinity : bitrate / channels;
  const [, overshoot] = overshoots[codec]?.find(([atMost]) => kbitPerChannel <= atMost) ?? [0, meterTolerance];
  return { loss: encoderLoss(codec, bitrate), overshoot };
}
