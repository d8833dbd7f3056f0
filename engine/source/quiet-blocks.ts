/** Quiet blocks of a source. Blocks have equal length and start with the first sample. */
export interface QuietBlocks {
  /** Samples per channel in a block; the last block may be shorter. */
  blockSamples: number;
  /** Peaks in dBFS of the blocks below `loudestSilenceDb`, in order, by block number. */
  peaks: ReadonlyMap<number, number>;
}

/** Seconds of a block, the resolution at which pauses are cut. */
const blockSeconds = 0.01;

export function quietBlockSamples(sampleRate: number): number {
  return Math.round(sampleRate * blockSeconds);
}

/** ffmpeg filters that write the number and peak of each quiet block to standard output. */
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

/** Reads the output of `quietBlockFilters`, in pieces. */
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

/** Highest threshold that a request may set, in dBFS. */
export const loudestSilenceDb = -20;
