import type { SpectrogramSettings } from '../../../../contract/analysis-settings.ts';
import type { Analysis } from '../analysis.ts';
import { writePng } from '../image/png.ts';
import type { SamplesShape } from '../samples.ts';
import { SpectrogramAccumulator } from './spectrogram-accumulator.ts';
import { spectrogramRow } from './spectrogram-row.ts';

/** Picture of frequencies over time, for the mean of all channels. */
export function createSpectrogram({ width, height }: SpectrogramSettings, shape: SamplesShape): Analysis {
  const accumulator = new SpectrogramAccumulator(shape, { width, height });
  return {
    add: (block) => accumulator.add(block),
    async finish(path, run) {
      await writePng(path, { width, height, drawRow: spectrogramRow(accumulator.levels(), height) }, run);
      return { width, height };
    },
  };
}
