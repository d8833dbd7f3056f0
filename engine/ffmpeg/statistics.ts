/** Statistics that ffmpeg writes at its end with `-v verbose`. */
export interface FinalStatistics {
  /** Samples per channel that entered the audio encoder of output file i. */
  encodedSamples: Map<number, number>;
  /** Pictures that entered the video encoder of output file i. */
  encodedFrames: Map<number, number>;
  /** Pictures that the decoder of the first input returned. */
  decodedFrames: number;
  /** Packets of the source that its decoder refused. ffmpeg continues without them. */
  undecodedPackets: number;
  /** Samples of silence that were inserted, and samples that were dropped, to follow timestamps. */
  mendedSamples: number;
  /** dBFS of the highest sample, if the filter `astats` measured it; -Infinity for silence. */
  peakLevel: number | undefined;
  /** True if the filter `astats` counted samples that are NaN or infinite. */
  hasNonNumbers: boolean;
  /**
   * Rates and channel layouts, or picture sizes, that reached the filters of the first output. More than one means that
   * they changed midway.
   */
  inputShapes: Set<string>;
  /** True if the filters of the first output were built again for pictures of the same shape, which are to be turned. */
  turnsMidway: boolean;
  /** True if ffmpeg has turned pictures by a quarter, as the file or the pictures state. */
  hasQuarterTurns: boolean;
  /** Code points of characters to be drawn that no font has. */
  missingGlyphs: Set<number>;
}

// Output stream #0:0 (audio): 45001 frames encoded (2880024 samples); 3011 packets muxed (648451 bytes);
const outputLine = /^\s*Output stream #(\d+):\d+ \(audio\): \d+ frames encoded \((\d+) samples\)/;

//   Output stream #0:0 (video): 50 frames encoded; 50 packets muxed (34526 bytes);
const pictureOutputLine = /^\s*Output stream #(\d+):\d+ \(video\): (\d+) frames encoded;/;

//   Input stream #0:0 (video): 50 packets read (61555 bytes); 50 frames decoded;
const pictureInputLine = /^\s*Input stream #0:\d+ \(video\): \d+ packets read \(\d+ bytes\); (\d+) frames decoded;/;

// [graph 0 input from stream 0:0 @ 0x55] w:160 h:90 pixfmt:yuv420p tb:1/12800 fr:25/1 sar:1/1
const pictureShapeLine = /^\[graph 0 input from stream 0:\d+ @ \S+\] (w:\d+ h:\d+ pixfmt:\S+) /;

// [transpose @ 0x55] w:160 h:90 dir:2 -> w:90 h:160 rotation:counterclockwise vflip:0
// Filters of the graph that ffmpeg is given have another name, such as Parsed_transpose_0.
const quarterTurnLine = /^\[transpose @ \S+\] w:/;

// Error while decoding stream #0:0: Invalid data found when processing input
const undecodedLine = /^Error while decoding stream #/;

// [Parsed_aresample_1 @ 0x55939] [SWR @ 0x55bc2] adding 1024 audio samples of silence
// [Parsed_aresample_1 @ 0x55939] [SWR @ 0x55bc2] discarding 480 audio samples
const mendedLine = /^\[Parsed_aresample_\d+ @ \S+\] \[SWR @ \S+\] (?:adding|discarding) (\d+) audio samples/;

// [Parsed_astats_5 @ 0x55cec1aea300] Peak level dB: -1.571175
const peakLevelLine = /^\[Parsed_astats_\d+ @ \S+\] Peak level dB: (\S+)$/;

// [Parsed_astats_0 @ 0x55a12af7e800] Number of NaNs: 0.500000
const nonNumbersLine = /^\[Parsed_astats_\d+ @ \S+\] Number of (?:NaNs|Infs): (?!0\.0+$)/;

// [graph_0_in_0_0 @ 0x55bf182c2c80] tb:1/44100 samplefmt:fltp samplerate:44100 chlayout:mono
const inputLine = /^.*\[graph_0_in_\S+ @ \S+\] tb:\S+ samplefmt:\S+ (samplerate:\S+ chlayout:.+)$/;

// [Parsed_ass_0 @ 0x55bc] fontselect: failed to find any fallback with glyph 0x5B57 for font: (Arial, 400, 0)
const missingGlyphLine =
  /^\[Parsed_ass_\d+ @ \S+\] fontselect: failed to find any fallback with glyph 0x([0-9A-F]{1,6}) /;

export function createStatisticsReader(): { read(line: string): void; statistics: FinalStatistics } {
  const statistics: FinalStatistics = {
    encodedSamples: new Map(),
    encodedFrames: new Map(),
    decodedFrames: 0,
    undecodedPackets: 0,
    mendedSamples: 0,
    peakLevel: undefined,
    hasNonNumbers: false,
    inputShapes: new Set(),
    turnsMidway: false,
    hasQuarterTurns: false,
    missingGlyphs: new Set(),
  };
  return {
    statistics,
    read(line) {
      if (undecodedLine.test(line)) statistics.undecodedPackets += 1;
      statistics.mendedSamples += Number(mendedLine.exec(line)?.[1] ?? 0);
      const peak = peakLevelLine.exec(line)?.[1];
      // The filter restarts where a source changes its rate or channels, and has a peak for each part.
      if (peak !== undefined) {
        statistics.peakLevel = Math.max(statistics.peakLevel ?? -Infinity, peak === '-inf' ? -Infinity : Number(peak));
      }
      if (nonNumbersLine.test(line)) statistics.hasNonNumbers = true;
      statistics.decodedFrames += Number(pictureInputLine.exec(line)?.[1] ?? 0);
      const glyph = missingGlyphLine.exec(line)?.[1];
      if (glyph !== undefined) statistics.missingGlyphs.add(Number.parseInt(glyph, 16));
      const pictures = pictureOutputLine.exec(line);
      if (pictures !== null) statistics.encodedFrames.set(Number(pictures[1]), Number(pictures[2]));
      const pictureShape = pictureShapeLine.exec(line)?.[1];
      if (pictureShape !== undefined && statistics.inputShapes.has(pictureShape)) statistics.turnsMidway = true;
      if (quarterTurnLine.test(line)) statistics.hasQuarterTurns = true;
      const shape = inputLine.exec(line)?.[1] ?? pictureShape;
      if (shape !== undefined) statistics.inputShapes.add(shape);
      const match = outputLine.exec(line);
      if (match !== null) statistics.encodedSamples.set(Number(match[1]), Number(match[2]));
    },
  };
}
