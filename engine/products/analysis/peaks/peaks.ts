import type { PeaksSettings } from '../../../../contract/analysis-settings.ts';
import type { Analysis } from '../analysis.ts';
import { invalidAnalysis } from '../invalid-analysis.ts';
import type { SamplesShape } from '../samples.ts';
import { PeakAccumulator } from './peak-accumulator.ts';
import { isPeaksFile, writePeaksFile, type PeaksHeader } from './peaks-file.ts';

/** Pairs in one file over all channels: 3 hours of stereo at audiowaveform's default zoom, 50 MB of JSON. */
const maxPairs = 4_500_000;

function channelsOf({ splitChannels }: PeaksSettings, { channels }: SamplesShape): number {
  return splitChannels ? channels : 1;
}

export function peaksProblem(settings: PeaksSettings, shape: SamplesShape): string | undefined {
  const channels = channelsOf(settings, shape);
  const pairs = Math.ceil(shape.samples / settings.zoom) * channels;
  if (pairs <= maxPairs) return undefined;
  const least = Math.ceil((shape.samples * channels) / maxPairs);
  return `its zoom of ${settings.zoom} makes ${pairs} pairs of peaks of this source, and the limit is ${maxPairs}; use a zoom of at least ${least}`;
}

/** Peaks in audiowaveform's formats. */
export function createPeaks(settings: PeaksSettings, shape: SamplesShape): Analysis {
  const { zoom, bits, splitChannels, dataFormat } = settings;
  const length = Math.ceil(shape.samples / zoom);
  const endOf = (pixel: number): number => (pixel + 1) * zoom;
  const accumulator = new PeakAccumulator(shape.channels, { pixels: length, endOf, splitChannels });
  return {
    add: (block) => accumulator.add(block),
    async finish(path) {
      const header: PeaksHeader = {
        ...{ dataFormat, bits, zoom, length },
        channels: channelsOf(settings, shape),
        sampleRate: shape.sampleRate,
      };
      await writePeaksFile(path, header, accumulator.peaks());
      if (!(await isPeaksFile(path, header))) throw invalidAnalysis('peaks');
      return { peaks: { length, zoom, bits, channels: header.channels } };
    },
  };
}
