/** What ffmpeg writes at its end with `-v verbose`. */
export interface FinalStatistics {
  /** samples for each channel that went into the audio encoder of output file i */
  encodedSamples: Map<number, number>;
  /** packets of the source that its decoder refused; ffmpeg goes on without them */
  undecodedPackets: number;
}

// Output stream #0:0 (audio): 45001 frames encoded (2880024 samples); 3011 packets muxed (648451 bytes);
const outputLine = /^\s*Output stream #(\d+):\d+ \(audio\): \d+ frames encoded \((\d+) samples\)/;

// Error while decoding stream #0:0: Invalid data found when processing input
const undecodedLine = /^Error while decoding stream #/;

export function createStatisticsReader(): { read(line: string): void; statistics: FinalStatistics } {
  const statistics: FinalStatistics = { encodedSamples: new Map(), undecodedPackets: 0 };
  return {
    statistics,
    read(line) {
      if (undecodedLine.test(line)) statistics.undecodedPackets += 1;
      const match = outputLine.exec(line);
      if (match !== null) statistics.encodedSamples.set(Number(match[1]), Number(match[2]));
    },
  };
}
