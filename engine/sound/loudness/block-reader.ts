import type { LoudnessBlocks } from './gating.ts';

/** Reads the measurements of `ebur128` for every 100 ms, as `ametadata=print` writes them, in pieces. */
export function createBlockReader(): { read(text: string): void; readings: LoudnessBlocks } {
  const momentary: number[] = [];
  const shortTerm: number[] = [];
  const readings = { momentary, shortTerm };
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
        }
      }
    },
  };
}
