import type { LoudnessBlocks } from './gating.ts';

/** What `ebur128` says of every 100 ms, as `ametadata=print` writes it. */
export interface MeterReadings extends LoudnessBlocks {
  /** the highest of all samples and of what lies between them, linear; three decimals */
  truePeak: number;
}

/** Reads what comes from the filters of `meterFilters`, in pieces. */
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
            // Where a source changes its rate or its channels, the meter begins anew.
            readings.truePeak = Math.max(readings.truePeak, value);
            break;
        }
      }
    },
  };
}
