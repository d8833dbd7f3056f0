/** Quiet blocks of a source. Blocks have equal length and start with the first sample. */
export interface QuietBlocks {
  /** Samples per channel in a block; the last block may be shorter. */
  blockSamples: number;
  /** Peaks in dBFS by block number; NaN for blocks that are not below `loudestSilenceDb`. */
  peaks: Float32Array;
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

/** About ten minutes. */
const firstBlocks = 65_536;

/** Reads the output of `quietBlockFilters`, in pieces. A `Map` would take over 600 MB for the 8.6 million blocks of a day. */
export function createQuietBlockReader(): { read(text: string): void; peaks(): Float32Array } {
  let peaks = new Float32Array(firstBlocks).fill(NaN);
  let block = 0;
  let count = 0;
  let rest = '';
  const store = (peak: number): void => {
    if (block >= peaks.length) {
      const blocks = 2 ** Math.ceil(Math.log2(block + 1));
      const larger = new Float32Array(blocks).fill(NaN, peaks.length);
      larger.set(peaks);
      peaks = larger;
    }
    peaks[block] = peak;
    count = block + 1;
  };
  return {
    peaks: () => peaks.subarray(0, count),
    read(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const frame = frameLine.exec(line)?.[1];
        if (frame !== undefined) block = Number(frame);
        const peak = peakLine.exec(line)?.[1];
        if (peak !== undefined) store(peak === '-inf' ? -Infinity : Number(peak));
      }
    },
  };
}

/** Highest threshold that a request may set, in dBFS. */
export const loudestSilenceDb = -20;
