/** What ffmpeg says at its end with `-v verbose`, for the streams of each file by their index. */
export interface FinalStatistics {
  /** samples for each channel that went into the encoder of output file i */
  encodedSamples: Map<number, number>;
}

// Output stream #0:0 (audio): 45001 frames encoded (2880024 samples); 3011 packets muxed (648451 bytes);
const outputLine = /^\s*Output stream #(\d+):0 \(audio\): \d+ frames encoded \((\d+) samples\)/;

export function createStatisticsReader(): { read(line: string): void; statistics: FinalStatistics } {
  const encodedSamples = new Map<number, number>();
  return {
    statistics: { encodedSamples },
    read(line) {
      const match = outputLine.exec(line);
      if (match !== null) encodedSamples.set(Number(match[1]), Number(match[2]));
    },
  };
}
