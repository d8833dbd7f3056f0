import { readFile, writeFile } from 'node:fs/promises';
import { AudioReport } from '../../../../contract/http/report.ts';
import { roundToMilliseconds } from '../../../../contract/milliseconds.ts';
import { greatestLoudness, loudnessCurve } from '../../../sound/loudness/loudness-curve.ts';
import { loudnessFigures, loudnessOf } from '../../../sound/loudness/loudness.ts';
import type { Measured } from '../../../sound/loudness/measure-part.ts';
import type { Analysis } from '../analysis.ts';
import type { SamplesOrigin, SamplesShape } from '../samples.ts';
import { SoundMeters } from './sound-meters.ts';

/** More than a screen has columns; keeps a report small. */
const mostPoints = 1000;

function describeLoudness(measured: Measured): AudioReport['loudness'] {
  const momentary = loudnessCurve(measured.momentary, mostPoints);
  const shortTerm = loudnessCurve(measured.shortTerm, mostPoints);
  return {
    ...loudnessFigures(loudnessOf(measured)),
    greatestMomentary: greatestLoudness(measured.momentary),
    greatestShortTerm: greatestLoudness(measured.shortTerm),
    curve: { interval: momentary.interval, momentary: momentary.points, shortTerm: shortTerm.points },
  };
}

/** Figures about the sound of a recording. */
export function createReport({ channels, sampleRate, samples }: SamplesShape, origin: SamplesOrigin): Analysis {
  const meters = new SoundMeters({ channels, sampleRate, isEightBit: origin.isEightBit });
  return {
    add: (block) => meters.add(block),
    async finish(path, { measure }) {
      const { levels, clipping, silence, stereo, noiseFloor, bandwidth } = meters.result();
      const report: AudioReport = {
        version: 1,
        source: { format: origin.format, codec: origin.codec, isLossy: origin.isLossy },
        file: origin.file,
        duration: roundToMilliseconds(samples / sampleRate),
        ...{ channels, sampleRate },
        loudness: describeLoudness(await measure()),
        ...{ levels, clipping, silence, ...(stereo !== undefined && { stereo }), noiseFloor },
        bandwidth: { ...bandwidth, probablyLossy: bandwidth.probablyLossy || origin.isLossy },
      };
      await writeFile(path, `${JSON.stringify(report)}\n`, { flag: 'wx' });
      // Validates what readers will parse.
      AudioReport.parse(JSON.parse(await readFile(path, 'utf8')));
      return {};
    },
  };
}
