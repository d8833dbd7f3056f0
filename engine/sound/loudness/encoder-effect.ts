/** Expected effect of an encoder on loudness and peaks. */
export interface EncoderEffect {
  /** dB by which the encoder attenuates its input. The input is raised by as much. */
  loss: number;
  /** dB by which peaks of the decoded file are expected to exceed those of the input. */
  overshoot: number;
}

interface EncodedAs {
  codec: string;
  /** kbit/s. */
  bitrate: number | undefined;
  channels: number;
}

/** dB. A limiter at four times the rate and a meter at another rate see slightly different peaks. */
const meterTolerance = 0.1;

/**
 * LAME attenuates constant bitrates: by 0.95 up to 160 kbit/s, 0.97 at 192 and 0.98 at 224 (lame 3.100, presets.c,
 * `scale` of abr_switch_map).
 */
function lameLoss(bitrate: number): number {
  const scale = bitrate <= 160 ? 0.95 : bitrate <= 192 ? 0.97 : bitrate <= 224 ? 0.98 : 1;
  return -20 * Math.log10(scale);
}

/**
 * Overshoot in dB by the highest kbit/s per channel to which it applies: the maximum measured on music, speech and
 * film.
 */
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

/** dB. ffmpeg's AAC encoder drops sound above 16 kHz and noise at usual bitrates. */
const aacLoss = 0.04;

function encoderLoss(codec: string, bitrate: number | undefined): number {
  if (codec === 'mp3' && bitrate !== undefined) return lameLoss(bitrate);
  return codec === 'aac' ? aacLoss : 0;
}

/** A lossless codec only has the difference between meters. */
export function encoderEffect({ codec, bitrate, channels }: EncodedAs): EncoderEffect {
  const kbitPerChannel = bitrate === undefined ? Infinity : bitrate / channels;
  const [, overshoot] = overshoots[codec]?.find(([atMost]) => kbitPerChannel <= atMost) ?? [0, meterTolerance];
  return { loss: encoderLoss(codec, bitrate), overshoot };
}
