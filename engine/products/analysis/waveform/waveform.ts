import type { WaveformSettings } from '../../../../contract/analysis-settings.ts';
import type { Analysis } from '../analysis.ts';
import { writePng } from '../image/png.ts';
import { PeakAccumulator } from '../peaks/peak-accumulator.ts';
import type { SamplesShape } from '../samples.ts';
import { layOutWaveform } from './lay-out-waveform.ts';
import { waveformRow } from './waveform-row.ts';
import { writeWaveformSvg } from './waveform-svg.ts';

/** Draws the range of the samples of each column as a bar. */
export function createWaveform(settings: WaveformSettings, shape: SamplesShape): Analysis {
  const { width, height, imageFormat, splitChannels } = settings;
  const { samples, channels } = shape;
  // With fewer samples than columns, some bars are wider than one column.
  const pixels = Math.min(width, samples);
  const endOf = (pixel: number): number => Math.floor(((pixel + 1) * samples) / pixels);
  const accumulator = new PeakAccumulator(channels, { pixels, endOf, splitChannels });
  return {
    add: (block) => accumulator.add(block),
    async finish(path, run) {
      const bands = layOutWaveform(accumulator.peaks(), splitChannels ? channels : 1, settings);
      if (imageFormat === 'svg') await writeWaveformSvg(path, bands, settings);
      else await writePng(path, { width, height, drawRow: waveformRow(bands, settings) }, run);
      return { width, height };
    },
  };
}
