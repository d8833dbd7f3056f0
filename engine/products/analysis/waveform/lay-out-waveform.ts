import type { ImageSize } from '../../../../contract/analysis-settings.ts';
import { fullScalePeak } from '../peaks/peak-accumulator.ts';

/** One channel's waveform: top and bottom of each column's bar, in pixels from the top of the picture. */
export interface WaveformBand {
  tops: Float64Array;
  bottoms: Float64Array;
}

/** Silence is drawn as a line. */
const leastBarPixels = 1;

/** Stacks the channels in equal shares of the height; full scale fills a share (pure). */
export function layOutWaveform(peaks: Int16Array, channels: number, { width, height }: ImageSize): WaveformBand[] {
  const pixels = peaks.length / channels / 2;
  const share = height / channels;
  return Array.from({ length: channels }, (_, channel): WaveformBand => {
    const middle = share * (channel + 0.5);
    const placeOf = (peak: number): number => middle - (peak / fullScalePeak) * (share / 2);
    const band = { tops: new Float64Array(width), bottoms: new Float64Array(width) };
    for (let column = 0; column < width; column += 1) {
      const at = (Math.floor((column * pixels) / width) * channels + channel) * 2;
      const [top, bottom] = [placeOf(peaks[at + 1] ?? 0), placeOf(peaks[at] ?? 0)];
      const missing = Math.max(0, leastBarPixels - (bottom - top)) / 2;
      band.tops[column] = top - missing;
      band.bottoms[column] = bottom + missing;
    }
    return band;
  });
}
