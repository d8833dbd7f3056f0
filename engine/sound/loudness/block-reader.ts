import type { LoudnessBlocks } from './gating.ts';

/** Measurements of `ebur128` for every 100 ms, as `ametadata=print` writes them. */
export interface MeterReadings extends LoudnessBlocks {
  /** Highest peak of samples and between samples, linear, with three decimals. */
  truePeak: number;
}

/** Reads the output of `meterFilters`, in pieces. */
export function createBlockReader(): { read(text: string): void; readings: MeterReadings } {
  const momentary: number[] = [];
  const shortTerm: number[] = [];
  const readings = { momentary, shortTerm, truePeak: 0 };
  let rest = '';
  return {
    readings,
    read(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const equals = line.indexOf('=');
        const value = Number(line.slice(equals + 1));
        switch (line.slice(0, Math.max(0, equals))) {
          case 'lavfi.r128.M':
            momentary.push(value);
            break;
          case 'lavfi.r128.S':
            shortTerm.push(value);
            break;
          case 'lavfi.r128.true_peak':
            // The meter restarts where a source changes its rate or channels.
            readings.truePeak = Math.max(readings.truePeak, value);
            break;
        }
      }
    },
  };
}
