/** Where a source is quiet, in blocks of equal length from its first sample on. */
export interface QuietBlocks {
  /** samples of a block, of each channel; the last may have fewer */
  blockSamples: number;
  /** The highest peaks of blocks below `loudestSilenceDb`, in dBFS, by their number, in its order. */
  peaks: ReadonlyMap<number, number>;
}

/** Seconds of a block: pauses are cut to this. */
const blockSeconds = 0.01;

export function quietBlockSamples(sampleRate: number): number {
  return Math.round(sampleRate * blockSeconds);
}

/** ffmpeg's filters that write the number and the peak of each quiet block to its standard output (pure). */
export function quietBlockFilters(blockSamples: number): string[] {
  const key = 'lavfi.astats.Overall.Peak_level';
  return [
    `asetnsamples=${blockSamples}:p=0`,
    'astats=metadata=1:reset=1:measure_perchannel=none:measure_overall=Peak_level',
    `ametadata=mode=print:key=${key}:value=${loudestSilenceDb}:function=less:file=-`,
  ];
}

// frame:12   pts:5292    pts_time:0.12
// lavfi.astats.Overall.Peak_level=-63.2
const frameLine = /^frame:(\d+)/;
const peakLine = /^lavfi\.astats\.Overall\.Peak_level=(\S+)$/;

/** Reads what comes from `quietBlockFilters`, in pieces. */
export function createQuietBlockReader(): { read(text: string): void; peaks: Map<number, number> } {
  const peaks = new Map<number, number>();
  let block = 0;
  let rest = '';
  return {
    peaks,
    read(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const frame = frameLine.exec(line)?.[1];
        if (frame !== undefined) block = Number(frame);
        const peak = peakLine.exec(line)?.[1];
        if (peak !== undefined) peaks.set(block, peak === '-inf' ? -Infinity : Number(peak));
      }
    },
  };
}

/** A request may not say more. dBFS */
export const loudestSilenceDb = -20;
