import type { WaveformSettings } from '../../../../contract/analysis-settings.ts';
import type { DrawRow } from '../image/png.ts';
import type { WaveformBand } from './lay-out-waveform.ts';

/** Draws a waveform as pixels; a bar covers the pixels whose centres it contains. */
export function waveformRow(bands: readonly WaveformBand[], { colors }: WaveformSettings): DrawRow {
  return (row, pixels) => {
    const middle = row + 0.5;
    for (let column = 0; column * 4 < pixels.length; column += 1) {
      const isBar = bands.some(({ tops, bottoms }) => {
        const [top = 0, bottom = 0] = [tops[column], bottoms[column]];
        return top <= middle && middle < bottom;
      });
      pixels.set(isBar ? colors.waveform : colors.background, column * 4);
    }
  };
}
