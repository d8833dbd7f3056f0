/** What an encoder does to loudness and peaks, as far as it is known before. */
export interface EncoderEffect {
  /** dB by which the encoder turns down what it is given; it is given back before. */
  loss: number;
  /** dB by which peaks of the decoded file are expected to stand above those that went in. */
  overshoot: number;
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

/** By codec; the figures are what was measured of music, speech and film at the lowest usual bitrates of each. */
export function encoderEffect(codec: string, bitrate: number | undefined): EncoderEffect {
  switch (codec) {
    case 'mp3':
      return { loss: bitrate === undefined ? 0 : lameLoss(bitrate), overshoot: 0.4 };
    case 'aac':
    case 'ac3':
      return { loss: 0, overshoot: 0.5 };
    case 'opus':
    case 'vorbis':
      return { loss: 0, overshoot: 0.8 };
    default:
      return { loss: 0, overshoot: meterTolerance };
  }
}
